{{/* controller.yaml of the controller that stays. */}}
{{- define "paddock.controllerConfig" -}}
{{- $own := dict "dataDir" "/var/lib/paddock/controller" "port" 8443 -}}
{{- $names := concat (include "paddock.controllerNames" . | fromJsonArray) (include "paddock.podNames" . | fromJsonArray) (.Values.controller.allowedHosts | default list) | uniq -}}
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
{{- $database := dict -}}
{{- if .Values.controller.postgres.urlSecret.name -}}{{- $_ := set $database "urlFile" "/etc/paddock/store/url" -}}{{- end -}}
{{- if .Values.controller.sharedFilesSecret -}}{{- $_ := set $database "sharedDir" "/etc/paddock/shared" -}}{{- end -}}
{{- if $database -}}{{- $_ := set $own "store" (dict "postgres" $database) -}}{{- end -}}
{{- if .Values.controller.bucket.credentialsSecret.name -}}
{{- $_ := set $own "blobs" (dict "s3" (dict "credentialsFile" "/etc/paddock/bucket/credentials")) -}}
{{- end -}}
{{- toYaml (merge $own .Values.controller.config) -}}
{{- end }}

{{/* node-agent.yaml of the agents. */}}
{{- define "paddock.agentConfig" -}}
{{- $own := dict "server" (include "paddock.server" .) "caFile" "/etc/paddock/ca/ca.crt" "enrollTokenFile" "/etc/paddock/enroll/token" "dataDir" "/var/lib/paddock/node-agent" -}}
{{- toYaml (merge $own .Values.agent.config) -}}
{{- end }}
