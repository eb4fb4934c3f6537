"""What each route does, in a few words, for docs/api.md. A route that no row fits stops scripts/generate."""
import re

from api_model import ROOT

# The first row whose method and path fit. `…` is the group, with or without a namespace; {} is any part in braces, KIND any
# plural of a kind.
ROWS = [line.split(" | ") for line in """\
GET | / | the [dashboard](dashboard.md)
GET | /dashboard/{} | its files
GET | /livez | the process answers
GET | /readyz | whether it can serve: `{"ok", "ready", "version"}`
GET | /healthz | as `/readyz`, but a standby answers 200
GET | /health | as `/readyz`, for checks that know only this path
GET | /status | `{"ok", "version", "sandboxMode", "maxBlob", "shuttingDown"}`; with the scope `runs:read` also `runs`, how many there are by phase (`ended` counts those that have ended), with `workspaces:read` also `stored`, `{"bytes", "quota"}` of the files by namespace; while it cannot serve, `ok` is false, with `reason` and `message`; `files`, `secrets` or `scheduling`, `{"reason", "message"}`, while it takes no new files, while runs get no values of Secrets, or while nothing is placed because each round of scheduling fails; `filesCounted`, false, while what the bucket has is still being listed
GET | /version | as Kubernetes writes it
GET | /metrics | Prometheus text
POST | /mcp | an MCP server over HTTP: [mcp.md](mcp.md)
GET | /audit | what was done and refused: [audit.md](audit.md), `AuditList`
GET | /apis/paddock.dev/v1alpha1/namespaces/{}/audit | the same of one namespace
GET | /audit/chain | the audit log as it is stored, each record with its link to the one before it: `AuditChainPage`
GET | /audit/checkpoint | the newest record's link, signed: `ReceiptEnvelope`
POST | /admin/backups | copies the store while it is in use
GET | /admin/tokens | tokens of people and programs that are still good, without their secrets: `AccessTokenList`
POST | /admin/tokens | `AccessTokenRequest`: a token for a person or a program, with its secret; `Idempotency-Key`
DELETE | /admin/tokens/{} | ends it
GET | /openapi/v3 | where the OpenAPI document is
GET | /openapi/v3/apis/paddock.dev/v1alpha1 | the OpenAPI document, with every type below
GET | /openapi/v2 | an OpenAPI document for old clients, in protobuf
GET | /api | discovery, for Kubernetes clients
GET | /api/v1 | discovery
GET | /apis | discovery
GET | /apis/paddock.dev | discovery
GET | /apis/paddock.dev/v1alpha1 | discovery
GET | /apis/agents.x-k8s.io | discovery of [Sandboxes of agents.x-k8s.io](agent-sandbox.md)
GET | /apis/agents.x-k8s.io/v1beta1 | discovery
GET | /apis/extensions.agents.x-k8s.io | discovery of their templates, pools and claims
GET | /apis/extensions.agents.x-k8s.io/v1beta1 | discovery
GET | /openapi/v3/apis/agents.x-k8s.io/v1beta1 | the OpenAPI document of that group
GET | /openapi/v3/apis/extensions.agents.x-k8s.io/v1beta1 | the OpenAPI document of that group
GET | /apis/authorization.k8s.io/v1 | discovery
GET | /apis/authentication.k8s.io/{} | discovery
POST | /e2b/v2/sandboxes | makes a session, as a sandbox of [E2B's tools](e2b.md)
POST | /e2b/sandboxes | the same for releases before 2.51, which always ask for the internet: that counts as not asked
GET | /e2b/v2/sandboxes | all, in the form that E2B's tools expect; `?limit`, `nextToken`, `state`, `metadata`, `template`, `startedAfter`
POST | /e2b/v2/sandboxes/{}/connect | resumes one that is paused, and lets it live longer
POST | /e2b/sandboxes/{}/connect | the same for releases before 2.51
GET | /e2b/sandboxes/{} | one, in the same form
DELETE | /e2b/sandboxes/{} | destroys it
POST | /e2b/sandboxes/{}/timeout | sets when it ends, in seconds from now
POST | /e2b/sandboxes/{}/pause | refuses commands and changes of files until it is resumed
GET | /e2b/envd/health | 204, or 502 if it has ended
GET | /e2b/envd/files | the bytes of a file; `?path`
POST | /e2b/envd/files | files of a form, or one as the body; `?path`
POST | /e2b/envd/process.Process/Start | a command (Connect protocol, streaming)
POST | /e2b/envd/filesystem.Filesystem/Stat | one file or folder (Connect protocol)
POST | /e2b/envd/filesystem.Filesystem/ListDir | what a folder holds (Connect protocol)
POST | /e2b/envd/{}/{} | the other calls of `filesystem.Filesystem` that are served, and `process.Process/SendSignal` (Connect protocol)
GET | /e2b/{} | what is not served says so
POST | /e2b/{} | the same
PUT | /e2b/{} | the same
PATCH | /e2b/{} | the same
DELETE | /e2b/{} | the same
GET | /api/v1/namespaces | those in use
GET | /api/v1/namespaces/{} | any valid name: a namespace exists by being used
GET | /api/v1/events | changes of phase and why runs wait, as Kubernetes Events; `?watch`
GET | /api/v1/namespaces/{}/events | the same of one namespace
GET | /api/v1/namespaces/{}/events/{} | one
POST | /apis/authorization.k8s.io/v1/selfsubjectaccessreviews | may I?
POST | /apis/authorization.k8s.io/v1/selfsubjectrulesreviews | what may I?
POST | /apis/authentication.k8s.io/{}/selfsubjectreviews | who am I?
GET | /apis/metrics.k8s.io/v1beta1 | discovery
GET | /apis/metrics.k8s.io/v1beta1/nodes | what nodes use right now, for `kubectl top`
GET | /apis/metrics.k8s.io/v1beta1/nodes/{} | one
GET | /apis/metrics.k8s.io/v1beta1/pods | what runs use right now
GET | /apis/metrics.k8s.io/v1beta1/namespaces/{}/pods | the same of one namespace
GET | /apis/metrics.k8s.io/v1beta1/namespaces/{}/pods/{} | one
GET | /api/v1/nodes | nodes in their core form, for `kubectl top`
GET | /api/v1/nodes/{} | one
GET | /api/v1/pods | runs as read-only Pods, for `kubectl logs`
GET | /api/v1/namespaces/{}/pods | the same of one namespace
GET | /api/v1/namespaces/{}/pods/{} | one
GET | /api/v1/namespaces/{}/pods/{}/exec | a command in it over a WebSocket, as [`kubectl exec`](kubectl.md#exec-and-cp) asks for it
POST | /api/v1/namespaces/{}/pods/{}/exec | the same, from clients that know no WebSocket: refused, with a message that says so
GET | /api/v1/namespaces/{}/pods/{}/log | its output
GET | /api/v1/namespaces/{}/pods/{}/attach | refused: the message names what shows a run's output
POST | /api/v1/namespaces/{}/pods/{}/attach | the same
GET | /api/v1/namespaces/{}/pods/{}/portforward | refused: the message names what shows a run's pages
POST | /api/v1/namespaces/{}/pods/{}/portforward | the same
POST | /admin/secret-key/rotate | seals every value of Secrets with a new key (or with `key` of `secrets.key`): `SecretKeyRotation`
GET | /receipt-keys | public keys by which receipts are verified, former ones too: `ReceiptKeyList`
POST | /admin/receipt-key/rotate | makes a new key, which signs receipts from now on (or has `key` of `receipt-keys.pem` do so): `ReceiptKeyList`
PUT | …/runs/{}/pools/{} | what a pool, which can ask for more hosts, says about a run that waits: `{"coming": true, "message": "…"}` ([slurm.md](slurm.md)); it stands in the run's `status.message` until the run is placed
GET | …/runs/{}/receipt | what became of an ended run, signed: [receipts.md](receipts.md), `ReceiptEnvelope`
POST | /build | creates a run from a request with `build_type`, `compute_command` and other fields
POST | /execute | a short program, answered at once: [execute.md](execute.md); `ExecuteRequest`, `ExecuteAnswer`
POST | …/namespaces/{}/plan | says what would happen to this `Run` now: `RunPlan`, or the refusal that its submission would get; a member `tree` beside `spec` says which files its workspace will have
POST | …/runs/{}/cancel | ends it; `{"now": true}` leaves out its grace; a second request does no harm
POST | …/runs/{}/signal | gives its command a signal while it runs: `SignalRequest`; asked twice, the command hears it twice
GET | …/runs/{}/events | its life as `text/event-stream`: ids grow by one; the stream resumes after `Last-Event-ID` or `?after=`, and ends with `end`. With `?tailLines`, `sinceSeconds` or `sinceTime` it begins with an event `start`, and goes on with the first event of that part of the output. A piece of output (`stdout`, `stderr`, `system`) has its text as `data`, and where its bytes are not UTF-8 the exact ones as `base64` beside it
GET | …/runs/{}/log | its output as text; `?follow`, `tailLines`, `sinceSeconds`, `sinceTime`, `timestamps`, `limitBytes`
GET | …/runs/{}/files | what the workspace of a run holds while it runs: `SessionFileList`
GET | …/runs/{}/files/{} | the same for a folder there; of a file a part, from `?offset=N` on
PUT | …/runs/{}/files/{} | puts a file of at most 8 MiB into the workspace of a run while it runs: whole or not at all
POST | …/runs/{}/commands | executes a `RunCommandRequest` in the sandbox of a run while it runs: `RunResult`, or with `?stream=true` its output as it comes; for a run with Secrets the token needs `secrets:use` too
POST | …/runs/{}/commands/{}/stdin | takes an `InputPiece`: standard input for that command, or the size of its terminal; answers `InputTaken` once it is on its way
POST | …/runs/{}/commands/{}/cancel | ends that command
GET | …/runs/{}/artifacts | `{"items": [Artifact], "leftOut": [LeftOut]}`
GET | …/runs/{}/artifacts/{} | the bytes of one; parts by `Range`
POST | …/runs/{}/tool-tokens | a credential of this run: [orchestrators.md](orchestrators.md); `Idempotency-Key`
POST | …/runs/{}/media | asks the orchestrator's media provider: `MediaTask`
POST | …/runs/{}/tool-results | answers a tool use of an agent run
POST | …/namespaces/{}/policy/explain | where each value of a policy comes from, and what it makes of a run's denials: `PolicyQuestion`, `PolicyExplanation`
POST | …/grants/{}/explain | each rule that decides on a `GrantQuestion`: `GrantDecision`
POST | …/tooltokens/{}/revoke | ends it
GET | …/workspaces/{}/tree | its files: `Tree`
POST | …/workspaces/{}/tree | offers a `Tree`; `TreeAnswer` names the blobs to send first, or says that the tree is stored. A `root` alone asks whether that tree is here already
POST | …/workspaces/{}/blobs | many small blobs as one stream: for each its digest (32 bytes), its size (4 bytes, the highest first) and its content; 2,048 blobs and 4 MiB of content at most, none over 256 KiB; `?compression=zstd&size=N`. Each is stored as it arrives
PUT | …/workspaces/{}/blobs/{} | the bytes of one blob; `?compression=zstd&size=N`
GET | …/workspaces/{}/raw/{} | the bytes of a file: [projects.md](projects.md)
GET | …/workspaces/{}/export | the manifest of the project
GET | …/workspaces/{}/export/{} | an HTML document with everything in it; `?inline=1`
GET | …/workspaces/{}/preview-url | a link for a browser's frame
GET | /preview/{}/{} | what that link leads to
POST | …/sandboxes/{}/commands | runs a `CommandRequest`: `RunResult`, or with `?stream=true` its output as it comes
POST | …/sandboxes/{}/commands/{}/cancel | ends that command
GET | …/sandboxes/{}/files | the files of the session
GET | …/sandboxes/{}/files/{} | the bytes of a file
PUT | …/sandboxes/{}/files/{} | writes a file
DELETE | …/sandboxes/{}/files/{} | removes a file
POST | …/nodes/{}/cordon | gives the node nothing new
POST | …/nodes/{}/uncordon | gives it work again
GET | …/nodes/{}/drain | how far a drain is: `Drain`
POST | …/nodes/{}/drain | gives it nothing new, and ends its runs and sessions after a grace
PUT | …/nodes/{}/taints | sets its taints, which runs must tolerate
POST | …/nodes/{}/enroll-token | a token that enrols this node once, `{"ttl": "1h"}`: `{"id", "token", "expiresAt"}`; an earlier one is good no longer
POST | …/nodes/{}/enroll | a credential for a new node
POST | …/nodes/{}/credential | the node's next credential; the older one ends a minute after the first use of the new one
POST | …/nodes/{}/leave | the node leaves: `{"force": false}`
POST | …/nodes/{}/synchronize | reports what is there, and is told what should be
POST | …/nodes/{}/calls | a lane: brings an answer, takes the next call
GET | …/nodes/{}/runs/{}/tree | the tree of a run, or with `?volume=NAME` of a volume
POST | …/nodes/{}/runs/{}/blobs | `{"digests": […]}`: the small files among these as one stream, `?compression=zstd`; each of the others is asked for by itself
GET | …/nodes/{}/runs/{}/blobs/{} | one of its files
PUT | …/nodes/{}/runs/{}/artifacts/{} | a file that the run made
POST | …/nodes/{}/runs/{}/artifacts | which of these the run has finished while it lives
GET | …/nodes/{}/runs/{}/tool-bundle | the MCP servers of an agent run
POST | …/nodes/{}/runs/{}/secrets | the values of Secrets that an attempt gets, just before it is launched
POST | …/nodes/{}/runs/{}/tool-token | the tool token for a run's environment
GET | …/KIND/{}/status | as `GET` of the object
PUT | …/KIND/{}/status | conditions of an administrator's own
PATCH | …/KIND/{}/status | the same
GET | …/nodes | all; `?limit`, `continue`, `labelSelector`, `fieldSelector`, `watch`
GET | …/namespaces/{}/KIND | those of one namespace; `?limit`, `continue`, `order=newest`, `labelSelector`, `fieldSelector`, `watch`
GET | …/KIND | those of all namespaces; `?limit`, `continue`, `labelSelector`, `fieldSelector`, `watch`
POST | …/runs | a new one, or with a `RunList` as the body up to 1,000 in one transaction: all of them or none; `Idempotency-Key`, `?dryRun=All`
POST | …/KIND | a new one; `Idempotency-Key`, `?dryRun=All`
GET | …/KIND/{} | one
PUT | …/KIND/{} | changes it
PATCH | …/KIND/{} | changes it: JSON patch, merge patch, server-side apply
DELETE | …/runs/{} | deletes it; one that has not ended is canceled first, and goes when it has
DELETE | …/sandboxes/{} | destroys the session
DELETE | …/KIND/{} | deletes it
DELETE | …/KIND | deletes those that match, each by the rules of a single delete; `?labelSelector`, `fieldSelector`, `dryRun=All`""".splitlines()]
GROUP = "/apis/paddock.dev/v1alpha1"
AGENTS = ("/apis/agents.x-k8s.io/v1beta1", "/apis/extensions.agents.x-k8s.io/v1beta1")


OWN_KINDS = re.findall(r'KindNames\{\w+::kKind, "(\w+)"', (ROOT / "common/contracts/kinds.h").read_text())
KINDS = "|".join((*OWN_KINDS, "sandboxtemplates", "sandboxwarmpools", "sandboxclaims"))


def fits(wanted, path):
    groups = "|".join(map(re.escape, (GROUP, *AGENTS)))
    text = re.escape(wanted).replace("…", f"(?:{groups})(?:/namespaces/\\{{ns\\}})?")
    return re.fullmatch(text.replace(r"\{\}", r"\{[^/]+\}").replace("KIND", f"(?:{KINDS})"), path) is not None


def summary(method, path):
    for row_method, wanted, words in ROWS:
        if row_method == method and fits(wanted, path):
            return words
    raise ValueError(f"scripts/api_routes.py says nothing of {method} {path}")
