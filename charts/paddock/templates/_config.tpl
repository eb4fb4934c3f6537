{{/* controller.yaml of the controller that stays. */}}
{{- define "paddock.controllerConfig" -}}
{{- $own := dict "dataDir" "/var/lib/paddock/controller" "port" 8443 -}}
{{- $names := concat (include "paddock.controllerNames" . | fromJsonArray) (.Values.controller.allowedHosts | default list) | uniq -}}
{{- if .Values.tls.enabled -}}
{{- $_ := merge $own (dict "host" "0.0.0.0" "allowedHosts" $names) -}}
{{- if .Values.tls.secretName -}}
{{- $_ := set $own "tls" (dict "certFile" "/etc/paddock/tls/tls.crt" "keyFile" "/etc/paddock/tls/tls.key") -}}
{{- end -}}
{{- else -}}
{{- $_ := merge $own (dict "host" "127.0.0.1" "plainHttpOnLoopback" true "allowedHosts" $names) -}}
{{- end -}}
{{- with .Values.controller.allowedOrigins -}}{{- $_ := set $own "allowedOrigins" . -}}{{- end -}}
{{- if .Values.controller.profiles -}}{{- $_ := set $own "profilesDir" "/etc/paddock/profiles" -}}{{- end -}}
{{- toYaml (merge $own .Values.controller.config) -}}
{{- end }}

{{/* node-agent.yaml of the agents. */}}
{{- define "paddock.agentConfig" -}}
{{- $own := dict "server" (include "paddock.server" .) "caFile" "/etc/paddock/ca/ca.crt" "enrollTokenFile" "/etc/paddock/enroll/token" "dataDir" "/var/lib/paddock/node-agent" -}}
{{- toYaml (merge $own .Values.agent.config) -}}
{{- end }}
