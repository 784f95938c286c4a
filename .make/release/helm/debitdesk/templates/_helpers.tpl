{{- define "debitdesk.labels" -}}
app.kubernetes.io/name: debitdesk
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "debitdesk.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false # its variables would look like settings of ours
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
terminationGracePeriodSeconds: 60
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  - name: keys
    secret:
      secretName: {{ .Values.keysSecret }}
      defaultMode: 0400
{{- end }}

{{- define "debitdesk.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion | replace "+" "_" }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef: { name: {{ .Values.settingsSecret }} }
env:
  - { name: DEBITDESK_KEYS, value: /run/keys/keys.json }
  - { name: DEBITDESK_OPS_LISTEN, value: "0.0.0.0:9090" }
  - { name: DEBITDESK_BASE_URL, value: {{ required "baseURL is the public https:// address" .Values.baseURL | quote }} }
  {{- range $name, $value := .Values.settings }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
volumeMounts:
  - { name: data, mountPath: /var/lib/debitdesk }
  - { name: tmp, mountPath: /tmp }
  - { name: keys, mountPath: /run/keys, readOnly: true }
{{- end }}
