{{/* Names. */}}
{{- define "paddock.fullname" -}}
{{- if contains "paddock" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-paddock" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}
{{/* (dict "root" $ "own" IMAGE): a part's own image where it names one. */}}
{{- define "paddock.image" -}}
{{- $own := .own | default dict -}}
{{- $image := ternary $own .root.Values.image (not (empty $own.repository)) -}}
{{ $image.repository }}{{ if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* Labels: (dict "root" $ "component" NAME). The selector's never change in the life of a release. */}}
{{- define "paddock.selector" -}}
app.kubernetes.io/name: paddock
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}
{{- define "paddock.labels" -}}
{{ include "paddock.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{/* Every name by which the controller is reached. */}}
{{- define "paddock.controllerNames" -}}
{{- $name := include "paddock.fullname" . -}}
{{- $space := .Release.Namespace -}}
{{- list $name (printf "%s.%s" $name $space) (printf "%s.%s.svc" $name $space) (printf "%s.%s.svc.%s" $name $space .Values.clusterDomain) | toJson -}}
{{- end }}
{{- define "paddock.service" -}}
{{ printf "https://%s.%s.svc:%v" (include "paddock.fullname" .) .Release.Namespace .Values.controller.service.port }}
{{- end }}
{{/* If there are several controllers, agents know each one and pass over those that do not lead. */}}
{{- define "paddock.server" -}}
{{- if .Values.agent.server -}}
{{ .Values.agent.server }}
{{- else if include "paddock.several" . -}}
{{- $urls := list -}}
{{- range include "paddock.podNames" . | fromJsonArray -}}{{- $urls = append $urls (printf "https://%s:8443" .) -}}{{- end -}}
{{ join "," $urls }}
{{- else -}}
{{ include "paddock.service" . }}
{{- end -}}
{{- end }}

{{/* "true", or nothing. */}}
{{- define "paddock.several" -}}
{{- if gt (int .Values.controller.replicas) 1 }}true{{ end -}}
{{- end }}
{{/* By which each of several controllers is reached itself. */}}
{{- define "paddock.podNames" -}}
{{- $names := list -}}
{{- if include "paddock.several" . -}}
{{- range $i := until (int .Values.controller.replicas) -}}
{{- $names = append $names (printf "%s-%d.%s-pods.%s.svc" (include "paddock.fullname" $) $i (include "paddock.fullname" $) $.Release.Namespace) -}}
{{- end -}}
{{- end -}}
{{- $names | toJson -}}
{{- end }}

{{/* What no container of this chart does without a reason of its own. */}}
{{- define "paddock.closedContainer" -}}
allowPrivilegeEscalation: false
capabilities: {drop: [ALL]}
readOnlyRootFilesystem: true
runAsNonRoot: true
seccompProfile: {type: RuntimeDefault}
{{- end }}
{{- define "paddock.controllerUser" -}}
runAsUser: 65532
runAsGroup: 65532
{{- end }}

{{/* What the launcher needs of the container that it makes sandboxes in; docs/cluster.md has the proof. */}}
{{- define "paddock.sandboxContainer" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
# Root of the pod's user namespace: a sandbox is made by one who may.
runAsUser: 0
runAsGroup: 0
# The runtime's own filter refuses pivot_root and seccomp's listeners; a run has filters of its own.
seccompProfile: {type: Unconfined}
# The runtime's own profile refuses mounts.
appArmorProfile: {type: Unconfined}
{{- end }}

{{- define "paddock.dnsEgress" -}}
- to: [{namespaceSelector: {}}]
  ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]
{{- end }}
