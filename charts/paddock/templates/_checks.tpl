{{/* What the schema cannot say: values that make no sense, or not together. Each refusal names the value and
the line that fixes it. */}}
{{- define "paddock.checks" -}}
{{- include "paddock.checkNulls" . -}}
{{- include "paddock.checkImages" . -}}
{{- include "paddock.checkTls" . -}}
{{- include "paddock.checkController" . -}}
{{- include "paddock.checkAgent" . -}}
{{- include "paddock.checkCodeExecution" . -}}
{{- include "paddock.checkNetwork" . -}}
{{- include "paddock.checkMonitoring" . -}}
{{- end }}

{{/* Helm takes the defaults' keys away that are null and leaves all other nulls, such as those in lists, where Kubernetes
reads most of them as "any". In `config` they are as good as absent to the programs, but for a ceiling that was meant to be one. */}}
{{- define "paddock.checkNulls" -}}
{{- range $part, $values := omit .Values "global" -}}
{{- if kindIs "map" $values -}}
{{- range $key, $value := $values -}}
{{- $at := printf "%s.%s" $part $key -}}
{{- if not (and (eq $at "agent.nodeSelector") (kindIs "invalid" $value)) -}}
{{- include "paddock.refuseNull" (dict "at" $at "value" $value "absent" (eq $key "config")) -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- include "paddock.refuseNull" (dict "at" $part "value" $values "absent" false) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* (dict "at" PATH "value" VALUE "absent" BOOL): the last says that a key that is null counts as absent. */}}
{{- define "paddock.refuseNull" -}}
{{- $at := .at -}}
{{- if kindIs "invalid" .value -}}
{{- fail (printf "%s: null says nothing here, and what it leaves out may be what protects; leave it out, or give it a value" $at) -}}
{{- else if kindIs "map" .value -}}
{{- $absent := and .absent (not (hasSuffix ".config.ceilings" $at)) -}}
{{- range $key, $value := .value -}}
{{- if not (and $absent (ne $key "ceilings") (kindIs "invalid" $value)) -}}
{{- include "paddock.refuseNull" (dict "at" (printf "%s.%s" $at $key) "value" $value "absent" $absent) -}}
{{- end -}}
{{- end -}}
{{- else if kindIs "slice" .value -}}
{{- range $i, $value := .value -}}
{{- include "paddock.refuseNull" (dict "at" (printf "%s[%d]" $at $i) "value" $value "absent" false) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "paddock.checkImages" -}}
{{- range $part := list "controller" "agent" "codeExecution" -}}
{{- $own := (index $.Values $part).image | default dict -}}
{{- range $key := list "tag" "digest" -}}
{{- if and (get $own $key) (not $own.repository) -}}
{{- fail (printf "%s.image.%s: it does not say of which image; set %s.image.repository, or image.%s for all of them" $part $key $part $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
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
{{- if and $service.enabled (not (regexMatch "^[0-9]+$" $service.targetPort)) -}}
{{- $ports := list -}}
{{- range .Values.controller.extraContainers -}}{{- range .ports -}}{{- $ports = append $ports (.name | default "") -}}{{- end -}}{{- end -}}
{{- if not (has $service.targetPort $ports) -}}
{{- fail (printf "controller.service.targetPort: no container of controller.extraContainers has a port named %s; name one in its ports, or set targetPort to that of one" $service.targetPort) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "paddock.checkController" -}}
{{- $controller := .Values.controller -}}
{{- include "paddock.checkReplicas" . -}}
{{- $decided := dict "plainHttpOnLoopback" "tls.enabled" "tls" "tls.secretName" "host" "tls.enabled" "port" "controller.service.port" "dataDir" "controller.persistence" "unixSocket" "controller.extraContainers" "allowedHosts" "controller.allowedHosts" "profilesDir" "controller.profiles" "execute" "codeExecution" -}}
{{- range $key, $instead := $decided -}}
{{- if hasKey $controller.config $key -}}
{{- fail (printf "controller.config.%s: the chart decides this, so that the API is never served without TLS by mistake; set %s instead" $key $instead) -}}
{{- end -}}
{{- end -}}
{{- $blobs := $controller.config.blobs | default dict -}}
{{- if and (not $blobs.quota) (not ($blobs.s3 | default dict).endpoint) -}}
{{- fail "controller.config.blobs.quota: without it more files are kept than the volume has room for; set controller.config.blobs.quota=16Gi, or more with a larger controller.persistence.size" -}}
{{- end -}}
{{- if and $controller.allowedOrigins (hasKey $controller.config "allowedOrigins") -}}
{{- fail "controller.config.allowedOrigins: the origins stand in two places; leave them out here, and set controller.allowedOrigins alone" -}}
{{- end -}}
{{- end }}

{{- define "paddock.checkReplicas" -}}
{{- $controller := .Values.controller -}}
{{- $database := $controller.postgres.urlSecret.name -}}
{{- $bucket := $controller.bucket.credentialsSecret.name -}}
{{- $config := $controller.config | default dict -}}
{{- $s3 := ($config.blobs | default dict).s3 | default dict -}}
{{- $postgres := ($config.store | default dict).postgres | default dict -}}
{{- if lt (int $controller.replicas) 1 -}}
{{- fail (printf "controller.replicas: %v controllers serve nobody; set controller.replicas=1" $controller.replicas) -}}
{{- end -}}
{{- if include "paddock.several" . -}}
{{- if not $database -}}
{{- fail (printf "controller.postgres.urlSecret.name: %v controllers cannot write one SQLite file; set it to a secret with the URL of a PostgreSQL database, or set controller.replicas=1" $controller.replicas) -}}
{{- end -}}
{{- if not (and $bucket $s3.endpoint) -}}
{{- fail (printf "controller.bucket.credentialsSecret.name: %v controllers have no volume in common for files; set it, and controller.config.blobs.s3 to a bucket, or set controller.replicas=1" $controller.replicas) -}}
{{- end -}}
{{- if not $controller.sharedFilesSecret -}}
{{- fail "controller.sharedFilesSecret: a controller without the tokens and keys of the one before it would not lead; make a secret of what `paddock-controller --make-shared-files DIR` makes (docs/cluster.md) and set controller.sharedFilesSecret=NAME, or set controller.replicas=1" -}}
{{- end -}}
{{- if not .Values.tls.enabled -}}
{{- fail "tls.enabled: several controllers are reached one by one, so each has to serve TLS itself; set tls.enabled=true, or set controller.replicas=1" -}}
{{- end -}}
{{- end -}}
{{- if and $bucket (not $s3.endpoint) -}}
{{- fail "controller.bucket.credentialsSecret.name: there is no bucket that these are for; set controller.config.blobs.s3, or leave it empty" -}}
{{- end -}}
{{- if and $controller.sharedFilesSecret (not $database) -}}
{{- fail "controller.sharedFilesSecret: files are shared by controllers of one PostgreSQL database; set controller.postgres.urlSecret.name, or leave it empty" -}}
{{- end -}}
{{- range $key, $instead := dict "urlFile" "controller.postgres.urlSecret" "sharedDir" "controller.sharedFilesSecret" "advertisedUrl" "controller.replicas" -}}
{{- if hasKey $postgres $key -}}
{{- fail (printf "controller.config.store.postgres.%s: the chart decides this; set %s instead" $key $instead) -}}
{{- end -}}
{{- end -}}
{{- if hasKey $s3 "credentialsFile" -}}
{{- fail "controller.config.blobs.s3.credentialsFile: the chart decides this; set controller.bucket.credentialsSecret instead" -}}
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
{{- if and (not $agent.server) (eq (toString .Values.controller.config.enrollToken) "false") -}}
{{- fail "controller.config.enrollToken: nodes of the DaemonSet enrol by the controller's tokens/enroll, which false ends; leave it out, or set agent.enabled=false and join hosts one by one (paddock node token NAME)" -}}
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

{{/* A network policy that says nothing of what a value needs, or, by an empty list, says yes to everybody. */}}
{{- define "paddock.checkNetwork" -}}
{{- $policy := .Values.networkPolicy -}}
{{- if and $policy.others (not $policy.enabled) -}}
{{- fail "networkPolicy.others: without this chart's policies there are none that others could add to; set networkPolicy.others=false, or networkPolicy.enabled=true" -}}
{{- end -}}
{{- if and $policy.enabled .Values.codeExecution.enabled (not .Values.codeExecution.allowFrom) -}}
{{- fail "codeExecution.allowFrom: Kubernetes reads an empty list as every peer; name those that may call it, such as codeExecution.allowFrom=[{podSelector: {}}] for this namespace" -}}
{{- end -}}
{{- if and $policy.enabled (not $policy.others) -}}
{{- include "paddock.checkEgress" . -}}
{{- end -}}
{{- end }}

{{/* What nothing but this chart's policies could allow. */}}
{{- define "paddock.checkEgress" -}}
{{- $controller := .Values.controller -}}
{{- $agent := .Values.agent -}}
{{- if and $controller.config.media (and $controller.config.media.providerUrl (not .Values.networkPolicy.controllerEgress)) -}}
{{- fail "networkPolicy.controllerEgress: the controller could not reach controller.config.media.providerUrl; add an egress rule for it, set networkPolicy.others=true if another policy allows it, or set networkPolicy.enabled=false" -}}
{{- end -}}
{{- if not .Values.networkPolicy.controllerEgress -}}
{{- range $what, $needed := dict "controller.postgres.urlSecret" $controller.postgres.urlSecret.name "controller.bucket.credentialsSecret" $controller.bucket.credentialsSecret.name -}}
{{- if $needed -}}
{{- fail (printf "networkPolicy.controllerEgress: the controller could not reach what %s is for; add an egress rule for it, set networkPolicy.others=true if another policy allows it, or set networkPolicy.enabled=false" $what) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $agent.enabled (not .Values.networkPolicy.agentEgress) -}}
{{- if $agent.server -}}
{{- fail (printf "networkPolicy.agentEgress: agents could reach name servers and not %s; add an egress rule for it, set networkPolicy.others=true if another policy allows it, or set networkPolicy.enabled=false" $agent.server) -}}
{{- end -}}
{{- range $key := list "pythonIndex" "npmRegistry" -}}
{{- if and $agent.config.packages (get $agent.config.packages $key) -}}
{{- fail (printf "networkPolicy.agentEgress: agents could not reach agent.config.packages.%s; add an egress rule for it, set networkPolicy.others=true if another policy allows it, or set networkPolicy.enabled=false" $key) -}}
{{- end -}}
{{- end -}}
{{- if and $agent.config.ceilings $agent.config.ceilings.network -}}
{{- fail "networkPolicy.agentEgress: agent.config.ceilings.network lets runs reach names, and nothing could; add egress rules for them, set networkPolicy.others=true if another policy allows it, or set networkPolicy.enabled=false" -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "paddock.checkMonitoring" -}}
{{- $monitor := .Values.controller.serviceMonitor -}}
{{- if $monitor.enabled -}}
{{- if not $monitor.tokenSecret.name -}}
{{- fail "controller.serviceMonitor.tokenSecret.name: /metrics asks for a token with the scope metrics:read; set it to a secret that holds one" -}}
{{- end -}}
{{- if not .Values.controller.service.enabled -}}
{{- fail "controller.serviceMonitor.enabled: there is nothing to scrape without a service; set controller.service.enabled=true" -}}
{{- end -}}
{{- if not (or .Values.agent.caSecret.name .Values.tls.secretName) -}}
{{- fail "agent.caSecret.name: Prometheus must know the CA of the controller's certificate, or every scrape fails; make a secret of the controller's tls/ca.pem (docs/cluster.md) and set agent.caSecret.name=NAME" -}}
{{- end -}}
{{- $policy := .Values.networkPolicy -}}
{{- if and $policy.enabled (not $policy.others) (not $policy.allowFrom) -}}
{{- fail "networkPolicy.allowFrom: nobody but agents may reach the controller, and so Prometheus may not; name its pods, such as networkPolicy.allowFrom=[{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}], or set networkPolicy.others=true if another policy lets it" -}}
{{- end -}}
{{- end -}}
{{- end }}
