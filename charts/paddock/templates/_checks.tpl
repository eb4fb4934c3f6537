{{/* What the schema cannot say: values that make no sense, or not together. Each refusal names the value and
the line that fixes it. */}}
{{- define "paddock.checks" -}}
{{- include "paddock.checkTls" . -}}
{{- include "paddock.checkController" . -}}
{{- include "paddock.checkAgent" . -}}
{{- include "paddock.checkCodeExecution" . -}}
{{- end }}

{{- define "paddock.checkTls" -}}
{{- $tls := .Values.tls -}}
{{- $service := .Values.controller.service -}}
{{- if $tls.enabled -}}
{{- if $tls.terminatedBy -}}
{{- fail "tls.terminatedBy: the controller speaks TLS itself; leave it empty, or set tls.enabled=false" -}}
{{- end -}}
{{- if $service.targetPort -}}
{{- fail "controller.service.targetPort: the service leads to the controller itself while tls.enabled=true; leave it empty" -}}
{{- end -}}
{{- else -}}
{{- if $tls.secretName -}}
{{- fail "tls.secretName: a certificate is used with tls.enabled=true only; set tls.enabled=true, or leave it empty" -}}
{{- end -}}
{{- if and $service.enabled (not $tls.terminatedBy) -}}
{{- fail "tls.enabled: false would expose the API without TLS; set tls.enabled=true. Or set controller.service.enabled=false (the pod alone reaches it), or say in tls.terminatedBy which of controller.extraContainers terminates TLS" -}}
{{- end -}}
{{- if and $service.enabled (not .Values.controller.extraContainers) -}}
{{- fail "controller.extraContainers: tls.terminatedBy needs a container that terminates TLS in the controller's pod; add it, or set tls.enabled=true" -}}
{{- end -}}
{{- if and $service.enabled (not $service.targetPort) -}}
{{- fail "controller.service.targetPort: without TLS the service must lead to the container that terminates it; set its port's name, or set tls.enabled=true" -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "paddock.checkController" -}}
{{- $controller := .Values.controller -}}
{{- if ne (int $controller.replicas) 1 -}}
{{- fail (printf "controller.replicas: %v controllers cannot write one store; set controller.replicas=1" $controller.replicas) -}}
{{- end -}}
{{- $decided := dict "plainHttpOnLoopback" "tls.enabled" "tls" "tls.secretName" "host" "tls.enabled" "port" "controller.service.port" "dataDir" "controller.persistence" "unixSocket" "controller.extraContainers" "allowedHosts" "controller.allowedHosts" "profilesDir" "controller.profiles" "execute" "codeExecution" -}}
{{- range $key, $instead := $decided -}}
{{- if hasKey $controller.config $key -}}
{{- fail (printf "controller.config.%s: the chart decides this, so that the API is never served without TLS by mistake; set %s instead" $key $instead) -}}
{{- end -}}
{{- end -}}
{{- if and $controller.serviceMonitor.enabled (not $controller.serviceMonitor.tokenSecret.name) -}}
{{- fail "controller.serviceMonitor.tokenSecret.name: /metrics asks for a token with the scope metrics:read; set it to a secret that holds one" -}}
{{- end -}}
{{- if and $controller.serviceMonitor.enabled (not $controller.service.enabled) -}}
{{- fail "controller.serviceMonitor.enabled: there is nothing to scrape without a service; set controller.service.enabled=true" -}}
{{- end -}}
{{- end }}

{{- define "paddock.checkAgent" -}}
{{- $agent := .Values.agent -}}
{{- if $agent.enabled -}}
{{- if and $agent.server (not (hasPrefix "https://" $agent.server)) -}}
{{- fail (printf "agent.server: %s would send the node's credential without TLS; set agent.server=https://…" $agent.server) -}}
{{- end -}}
{{- if and (not $agent.server) (not .Values.controller.service.enabled) -}}
{{- fail "agent.server: agents reach this release's controller by its service; set controller.service.enabled=true, or name another controller" -}}
{{- end -}}
{{- if not $agent.enrollTokenSecret.name -}}
{{- fail "agent.enrollTokenSecret.name: a node needs an enrolment token for its first start; make a secret of the controller's tokens/enroll (docs/cluster.md) and set agent.enrollTokenSecret.name=NAME" -}}
{{- end -}}
{{- if not (or $agent.caSecret.name .Values.tls.secretName) -}}
{{- fail "agent.caSecret.name: agents must know the CA of the controller's certificate; make a secret of the controller's tls/ca.pem (docs/cluster.md) and set agent.caSecret.name=NAME" -}}
{{- end -}}
{{- range $key, $instead := dict "server" "agent.server" "caFile" "agent.caSecret" "enrollTokenFile" "agent.enrollTokenSecret" "dataDir" "agent.dataDir" "name" "nothing (it is the node's)" "sandboxProgram" "image" -}}
{{- if hasKey $agent.config $key -}}
{{- fail (printf "agent.config.%s: the chart decides this; set %s instead" $key $instead) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "paddock.checkCodeExecution" -}}
{{- if and .Values.codeExecution.enabled .Values.codeExecution.privileged -}}
{{- fail "codeExecution.privileged: nothing here needs it; set codeExecution.privileged=false" -}}
{{- end -}}
{{- end }}
