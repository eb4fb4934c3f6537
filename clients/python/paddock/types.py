"""The objects of the API, by the names that they have there. Made by scripts/generate from the API's own declarations: change those, not this."""
from __future__ import annotations

import dataclasses
from typing import Any, Literal, Optional, Union


@dataclasses.dataclass
class Run:
    metadata: ObjectMeta  # identity
    spec: RunSpec  # what is wanted
    apiVersion: str = "paddock.dev/v1alpha1"  # paddock.dev/v1alpha1
    kind: str = "Run"  # Run
    status: RunStatus = dataclasses.field(default_factory=lambda: RunStatus())  # what is observed


@dataclasses.dataclass
class ObjectMeta:
    name: str = ""  # unique within its kind and namespace; a DNS label
    generateName: str = ""  # prefix for a name made by the server
    namespace: str = ""  # where the object lives
    uid: str = ""  # set by the server, never used twice
    resourceVersion: str = ""  # changes with every write; send it back to detect a stale write
    generation: int = 0  # changes with every change of spec
    creationTimestamp: Optional[str] = None  # when the server stored it first
    deletionTimestamp: Optional[str] = None  # when deletion was asked for: the object goes once nothing holds it
    deletionGracePeriodSeconds: Optional[int] = None  # from then on, what its command had to end by itself
    finalizers: list[str] = dataclasses.field(default_factory=list)  # who must let go of it before it is gone: each removes its own
    labels: dict[str, str] = dataclasses.field(default_factory=dict)  # for selection
    annotations: dict[str, str] = dataclasses.field(default_factory=dict)  # for tools; not selectable
    managedFields: list[ManagedFields] = dataclasses.field(default_factory=list)  # who set which field; kept by the server


@dataclasses.dataclass
class ManagedFields:
    manager: str = ""  # who set the fields
    operation: str = "Update"  # Apply or Update
    apiVersion: str = "paddock.dev/v1alpha1"  # the version that the fields are of
    time: Optional[str] = None  # when it last changed
    fieldsType: str = "FieldsV1"  # FieldsV1
    fieldsV1: Any = dataclasses.field(default_factory=dict)  # a tree of "f:<name>" members
    subresource: str = ""  # by which the fields were set


@dataclasses.dataclass
class RunSpec:
    type: Literal["compute", "script", "gradle", "code", "test", "agent", "command"]  # command, compute, script, gradle, code, test or agent
    command: Union[str, list[str]] = ""  # argv as a list, or one string split without a shell; required but for type code
    code: str = ""  # Python source, the program of a run of type code
    inputData: Any = None  # an object or null, which the code finds as `input_data`; at most 256 KiB as JSON
    workspace: str = ""  # name of the Workspace whose files the run reads
    workspaceRoot: str = ""  # digest of the tree that the Workspace must hold; whatever it holds unless given
    requirements: str = ""  # requirements.txt or package.json in the workspace
    artifacts: ArtifactRequest = dataclasses.field(default_factory=lambda: ArtifactRequest())  # what comes back
    publish: str = ""  # Volume that gets the artifacts as its next version if the run succeeds
    volumes: list[VolumeUse] = dataclasses.field(default_factory=list)  # shared volumes that the run reads
    secrets: list[SecretUse] = dataclasses.field(default_factory=list)  # values of Secrets that the run gets, as files beneath /run/secrets or as variables
    stdinFile: str = ""  # file of the workspace that the command reads as its standard input; empty: none
    timeout: Optional[str] = None  # wall time; 30m unless given
    terminationGrace: Optional[str] = None  # from SIGTERM to SIGKILL when its time is up, it is canceled or its node is drained
    resources: Optional[Resources] = None  # what the node must have free
    nodeSelector: dict[str, str] = dataclasses.field(default_factory=dict)  # labels the node must carry
    tolerations: list[Toleration] = dataclasses.field(default_factory=list)  # taints that the run does not mind
    sandboxLevel: Optional[Literal["kernel", "broker", "polled", "advisory", "none"]] = None  # the weakest level at which the node must have proven what the run needs
    priority: int = 0  # higher goes first
    retry: Optional[RetryPolicy] = None  # how often, and after what; once unless given
    deadline: Optional[str] = None  # from creation; a run that has not ended by then is ended, also one that waits
    profile: str = ""  # sandbox profile; by default the type's own
    sandbox: SandboxPolicy = dataclasses.field(default_factory=lambda: SandboxPolicy())  # policy on top of the profile
    mediaExecution: Optional[MediaExecution] = None  # always explicit in the stored object
    toolToken: Optional[ToolTokenRequest] = None  # what the tool token in the run's environment is good for; none unless given
    toolBundle: Optional[ToolBundle] = None  # MCP servers of an agent run; not shown again, status.toolBundle has a summary
    grants: list[str] = dataclasses.field(default_factory=list)  # names of the Grants that the run is held to; its creator's unless given
    array: Optional[ArraySpec] = None  # the run is an array: all else in its spec is that of each of its elements
    nodes: Optional[int] = None  # the run is a gang of so many members, each on a node of its own, all placed at once or none; all else in its spec is that of each member
    memberPorts: list[int] = dataclasses.field(default_factory=list)  # TCP ports of each member that the others are to reach: refused as long as no node connects members (GANG_NETWORK_UNAVAILABLE)
    cancelRequested: bool = False  # set by the cancel subresource


@dataclasses.dataclass
class ArtifactRequest:
    dirs: list[str] = dataclasses.field(default_factory=list)  # folders of the workspace whose files come back


@dataclasses.dataclass
class VolumeUse:
    name: str  # name of a Volume of the run's namespace
    version: Optional[int] = None  # the newest unless given


@dataclasses.dataclass
class SecretUse:
    name: str  # name of a Secret of the run's namespace
    key: str = ""  # which of its values; all of them unless given
    variable: str = ""  # variable that has the value; unless given, values are files /run/secrets/NAME/KEY


@dataclasses.dataclass
class Resources:
    cpu: Optional[int] = None  # whole cores, for all its processes together
    memory: Optional[str] = None  # set aside on the node
    disk: Optional[str] = None  # set aside on the node's disk for what the run writes there; 16Mi unless given
    accelerators: Optional[Accelerators] = None  # devices the run needs


@dataclasses.dataclass
class Accelerators:
    kind: Literal["nvidia", "apple", "any"] = "any"  # nvidia, apple or any
    count: int = 1  # how many devices


@dataclasses.dataclass
class Toleration:
    key: str = ""  # of the taint; empty with Exists: any
    operator: Literal["Equal", "Exists"] = "Equal"  # Equal or Exists
    value: str = ""  # of the taint, with Equal
    effect: str = ""  # of the taint; empty: any


@dataclasses.dataclass
class RetryPolicy:
    maxAttempts: int = 3  # the first one included
    backoff: str = "10s"  # before the second attempt; doubles each time
    maxBackoff: str = "10m"  # the longest wait
    on: list[Literal["NodeLost", "StartFailed", "Evicted"]] = dataclasses.field(default_factory=list)  # NodeLost, StartFailed, Evicted; all of them unless given. NodeLost and Evicted may run a command that ran in part already


@dataclasses.dataclass
class SandboxPolicy:
    network: Optional[NetworkPolicy] = None  # network access; none when absent
    hostMounts: list[HostMount] = dataclasses.field(default_factory=list)  # host folders visible inside
    tools: list[str] = dataclasses.field(default_factory=list)  # the only programs that can be executed; empty means all of the system's
    limits: SandboxLimits = dataclasses.field(default_factory=lambda: SandboxLimits())  # what may be used up
    env: dict[str, str] = dataclasses.field(default_factory=dict)  # variables added to the minimal environment
    devices: list[str] = dataclasses.field(default_factory=list)  # device nodes that exist inside
    allowPartial: bool = False  # run even if this host cannot enforce every limit; never covers network or files


@dataclasses.dataclass
class NetworkPolicy:
    enabled: bool = False  # whether any network exists inside; none by default
    allowDomains: list[str] = dataclasses.field(default_factory=list)  # names that may be reached
    loopback: Optional[bool] = None  # whether programs inside reach each other by 127.0.0.1 and ::1; as the profile says unless given


@dataclasses.dataclass
class HostMount:
    hostPath: str  # absolute path on the node
    sandboxPath: str  # absolute path inside
    mode: Literal["ro", "rw"] = "ro"  # ro or rw


@dataclasses.dataclass
class SandboxLimits:
    wallTime: Optional[str] = None  # real time until the whole tree is killed
    cpuTime: Optional[str] = None  # CPU time over all processes
    memory: Optional[str] = None  # memory of all processes together
    addressSpace: Optional[str] = None  # address space of each process (RLIMIT_AS); replaced by memory where a device is granted
    pids: Optional[int] = None  # processes and threads alive at once
    openFiles: Optional[int] = None  # descriptors a process may hold
    fileSize: Optional[str] = None  # size of one written file
    fsBytes: Optional[str] = None  # bytes of private scratch space, and that the workspace may grow by
    fileCount: Optional[int] = None  # files in private scratch space, and that the workspace may grow by
    stdout: Optional[str] = None  # standard output kept
    stderr: Optional[str] = None  # standard error kept
    commandBytes: Optional[str] = None  # length of the command and its arguments


@dataclasses.dataclass
class MediaExecution:
    mode: Optional[str] = None
    allowedSurfaces: Optional[list[str]] = None
    allowedModels: Optional[list[str]] = None


@dataclasses.dataclass
class ToolTokenRequest:
    operations: list[str]  # run:read, media:generate, …
    endpoints: list[str] = dataclasses.field(default_factory=list)  # subresources of the run that it opens; unless given, all that its operations need
    ttl: Optional[str] = None  # 15m unless given; 24h at most
    revokeOnStreamEnd: bool = False  # end it when a stream of the run's events ends


@dataclasses.dataclass
class ToolBundle:
    mcpServers: Optional[list[dict[str, Any]]] = None


@dataclasses.dataclass
class ArraySpec:
    count: int  # how many elements: indexes 0 to count - 1
    maxParallel: Optional[int] = None  # how many elements are there at once that have not ended; 1000 unless given
    maxFailedIndexes: Optional[int] = None  # more failed elements than these end the array early; never unless given


@dataclasses.dataclass
class RunStatus:
    phase: Literal["Pending", "Scheduled", "Preparing", "Running", "Succeeded", "Failed", "Canceled"] = "Pending"  # where the run is in its life
    reason: str = ""  # a stable word
    message: str = ""  # a sentence; a pending run says why no node fits
    conditions: list[Condition] = dataclasses.field(default_factory=list)  # Scheduled, Complete, Failed
    nodeName: str = ""  # who runs it
    attempt: int = 0  # how often it was bound to a node
    refusals: int = 0  # how many of these attempts a node could not begin; spec.retry does not count them
    diskNeeded: Optional[str] = None  # free disk that a node must have for the run's files, once one had not enough
    retryAt: Optional[str] = None  # the next attempt is not made before
    deadlineAt: Optional[str] = None  # when spec.deadline is over
    eviction: Optional[Eviction] = None  # why we are ending it on its node
    killNow: Optional[bool] = None  # whether its node kills it at once, without what is left of its grace
    scheduledAt: Optional[str] = None  # when it was bound
    startedAt: Optional[str] = None  # when the command started
    finishedAt: Optional[str] = None  # when it ended
    timingsMs: dict[str, int] = dataclasses.field(default_factory=dict)  # milliseconds per phase
    workspaceRoot: str = ""  # digest of the tree
    volumes: list[MountedVolume] = dataclasses.field(default_factory=list)  # what the run sees of shared volumes
    publishedVersion: Optional[int] = None  # version of spec.publish that holds the artifacts
    previewUrl: Optional[str] = None  # path of the workspace's entry file in this API; null if it has none
    policy: Optional[SandboxPolicy] = None  # effective sandbox policy
    environment: dict[str, str] = dataclasses.field(default_factory=dict)  # of the profile, and of an element its index, of a member its rank; a Python environment and the policy add to it
    createdBy: str = ""  # whose token made it
    grants: list[str] = dataclasses.field(default_factory=list)  # that the run is held to
    toolBundle: Optional[ToolBundleSummary] = None  # MCP servers that an agent run has; nothing that is secret
    pendingToolUses: list[PendingToolUse] = dataclasses.field(default_factory=list)  # what an agent run asked for and nobody has answered
    stdinClosed: Optional[bool] = None  # whether an agent run takes no answers any more
    result: Optional[SandboxResult] = None  # how it ended and what was enforced
    artifacts: list[Artifact] = dataclasses.field(default_factory=list)  # what came back
    leftOut: list[LeftOut] = dataclasses.field(default_factory=list)  # what did not, and why
    array: Optional[ArrayStatus] = None  # of an array or a gang: how far its elements or members are
    element: Optional[ArrayElement] = None  # of an element of an array or a member of a gang: whose it is


@dataclasses.dataclass
class Condition:
    type: str  # what the condition is about
    status: str  # True, False or Unknown
    reason: str = ""  # a stable word for programs
    message: str = ""  # a sentence for people
    lastTransitionTime: Optional[str] = None  # when status last changed


@dataclasses.dataclass
class Eviction:
    reason: str  # a stable word
    message: str = ""  # a sentence
    at: Optional[str] = None  # when its node was to end it


@dataclasses.dataclass
class MountedVolume:
    name: str  # of the Volume
    version: int = 0  # of its content
    root: str = ""  # digest of the tree


@dataclasses.dataclass
class ToolBundleSummary:
    mcpServers: list[McpServerSummary] = dataclasses.field(default_factory=list)  # in their order


@dataclasses.dataclass
class McpServerSummary:
    id: str  # within the run
    transport: Literal["stdio", "sse", "http"]  # stdio, sse or http
    label: str = ""  # for people
    templateId: str = ""  # what it was made from
    enabled: bool = True  # whether the run is given it
    authMode: Optional[Literal["none", "oauth"]] = None  # none or oauth


@dataclasses.dataclass
class PendingToolUse:
    id: str  # the id by which the answer names this tool use
    name: str = ""  # the tool's name


@dataclasses.dataclass
class SandboxResult:
    version: int = 2  # the version of this shape: 2
    status: Literal["OK", "FAILED", "TIMEOUT", "CPU_LIMIT", "MEM_LIMIT", "KILLED_TERM", "KILLED_KILL", "CANCELED", "FORBIDDEN_SYSCALL", "LIMIT_EXCEEDED", "INTERNAL_ERROR"] = "INTERNAL_ERROR"  # how it ended
    rc: int = 1  # exit code as a shell would show it
    reason: str = ""  # why it ended so, with the system's own cause
    errorClass: Optional[str] = None  # TIMEOUT, CANCELLED, CAPABILITY_DENIED or LIMIT_EXCEEDED
    code: Optional[str] = None  # E_LIMIT_MEMORY, E_CAPABILITY_DENIED, …
    limit: str = ""  # the limit of the policy that ended it, such as memory; absent: none did
    stdout: str = ""  # standard output, at most what the policy keeps
    stderr: str = ""  # standard error, at most what the policy keeps
    truncated: Truncated = dataclasses.field(default_factory=lambda: Truncated())  # which stream was cut
    duration_ms: int = 0  # real time from start to reaped
    cmd: list[str] = dataclasses.field(default_factory=list)  # what was run
    traceId: str = ""  # unique per launch
    usage: Usage = dataclasses.field(default_factory=lambda: Usage())  # what was used
    enforced: dict[str, Enforcement] = dataclasses.field(default_factory=dict)  # how each limit and rule of the policy was held
    denials: list[Denial] = dataclasses.field(default_factory=list)  # what was refused
    policy: Optional[SandboxPolicy] = None  # effective; absent if the request was unreadable
    tests: Optional[TestCounts] = None  # of a run of type test: what its report counted
    notStarted: Optional[NotStarted] = None  # why nothing was started; absent: something was


@dataclasses.dataclass
class Truncated:
    stdout: bool = False  # standard output was cut
    stderr: bool = False  # standard error was cut


@dataclasses.dataclass
class Usage:
    cpu_ms: int = 0  # CPU time over all processes
    peak_memory_bytes: Optional[int] = None  # highest memory use seen by the kernel
    peak_pids: Optional[int] = None  # most processes at once
    stdout_bytes: int = 0  # bytes written to standard output
    stderr_bytes: int = 0  # bytes written to standard error
    network: list[NetworkFlow] = dataclasses.field(default_factory=list)  # what was reached over the network
    accelerator_ms: Optional[int] = None  # how long accelerators were held, times their number


@dataclasses.dataclass
class NetworkFlow:
    name: str = ""  # as the policy allows it
    port: int = 0  # of the server; 0: the name alone was looked up
    address: str = ""  # that the name was resolved to
    connections: int = 0  # that came about
    failures: int = 0  # that did not, though allowed
    sent_bytes: int = 0  # by the sandbox
    received_bytes: int = 0  # by the sandbox
    problem: str = ""  # why the last one that failed did: the policy allowed it, the node could not
    reason: str = ""  # the same as a stable word


@dataclasses.dataclass
class Enforcement:
    requested: Any = None  # what the policy asked for
    applied: bool = False  # whether it was in force before the first instruction
    mechanism: str = ""  # how: cgroup v2 memory.max, seccomp, …
    level: Literal["kernel", "broker", "polled", "advisory", "none"] = "none"  # kernel, broker, polled, advisory or none
    details: str = ""  # what an operator needs to know
    reason: str = ""  # why less is in force than was asked for: a stable word; absent if nothing is missing


@dataclasses.dataclass
class Denial:
    what: str = ""  # what was tried
    target: str = ""  # the object of the attempt: a file, a program, a host with its port
    executable: str = ""  # the program that tried it
    rule: str = ""  # which rule refused it
    remedy: str = ""  # what would allow it
    count: int = 1  # how often
    commandId: str = ""  # of the command executed in the run (`paddock exec`) that tried it; absent: the run's own


@dataclasses.dataclass
class TestCounts:
    collected: int = 0  # tests that were found
    passed: int = 0  # tests that passed
    failed: int = 0  # tests that failed or broke
    skipped: int = 0  # tests that were skipped


@dataclasses.dataclass
class NotStarted:
    reason: str = ""  # a stable word of docs/troubleshooting.md
    field: str = ""  # of the policy, such as tools[0]; absent: it is about none
    message: str = ""  # the sentence, without reason and field


@dataclasses.dataclass
class Artifact:
    path: str  # relative to the workspace
    digest: str  # SHA-256
    size: int = 0  # bytes
    executable: bool = False  # whether its owner may execute it


@dataclasses.dataclass
class LeftOut:
    path: str = ""  # relative to the workspace
    rule: str = ""  # why, as a sentence
    reason: str = ""  # why, as a stable word


@dataclasses.dataclass
class ArrayStatus:
    pending: int = 0  # elements that are not made yet
    active: int = 0  # elements that exist and have not ended
    succeeded: int = 0  # elements that have succeeded
    failed: int = 0  # elements that have failed
    canceled: int = 0  # elements that were canceled, or never made
    created: int = 0  # elements were made for the indexes below this one; a deletion counts it down
    completedIndexes: str = ""  # elements that have succeeded, as ranges of indexes: 0-9,12
    failedIndexes: str = ""  # elements that have failed, as ranges of indexes
    canceledIndexes: str = ""  # elements that were canceled, as ranges of indexes
    firstFailure: Optional[FirstFailure] = None  # the element that failed first


@dataclasses.dataclass
class FirstFailure:
    index: int = 0  # the element's index
    run: str = ""  # the element's name
    reason: str = ""  # a stable word
    message: str = ""  # a sentence
    rc: Optional[int] = None  # exit code of its command, if it had one


@dataclasses.dataclass
class ArrayElement:
    array: str = ""  # name of the array
    uid: str = ""  # the array's uid
    index: int = 0  # the element's index, from 0 on
    members: Optional[int] = None  # how many members of its gang are placed together; absent if it is no gang's


@dataclasses.dataclass
class RunPlan:
    placed: bool = False  # whether it would be placed at once
    node: str = ""  # where
    message: str = ""  # why it would wait
    overQuota: bool = False  # whether its namespace's quota is used up
    ahead: int = 0  # waiting runs of at least its priority
    groups: list[PlanGroup] = dataclasses.field(default_factory=list)  # nodes that do not fit, by reason
    enforced: list[PlanEnforcement] = dataclasses.field(default_factory=list)  # what that node can enforce
    artifactTypes: list[str] = dataclasses.field(default_factory=list)  # endings of the artifacts that would come back; empty: all
    policy: Optional[SandboxPolicy] = None  # effective sandbox policy


@dataclasses.dataclass
class PlanGroup:
    nodes: int = 0  # how many
    reason: str = ""  # why they do not fit
    remedy: str = ""  # what would help
    tooSmall: bool = False  # they would not fit with nothing else on them either


@dataclasses.dataclass
class PlanEnforcement:
    capability: str = ""  # memory, network, …
    available: bool = False  # the node has proven it
    mechanism: str = ""  # how


@dataclasses.dataclass
class PolicyQuestion:
    run: str = ""  # explain this run's policy; and nothing else is given
    profile: str = ""  # or a policy on top of this profile; command
    sandbox: Optional[SandboxPolicy] = None  # that policy, as in a run; none: the profile's
    against: str = ""  # judge by it what this run was denied; it has ended


@dataclasses.dataclass
class PolicyExplanation:
    profile: str = ""  # that the policy stands on
    rules: list[PolicyRule] = dataclasses.field(default_factory=list)  # each value that is in force, and its origin
    denials: list[JudgedDenial] = dataclasses.field(default_factory=list)  # of `against`


@dataclasses.dataclass
class PolicyRule:
    field: str = ""  # of the policy: limits.memory
    value: str = ""  # what it allows; of variables that they are set
    origin: Literal["run", "timeout", "profile", "default", "derived", "former-profile"] = "default"  # where that comes from
    source: str = ""  # the field or profile that says it
    bound: str = ""  # what a run may ask for at most, and who says so
    refusal: str = ""  # why a run that asked for it now would be refused


@dataclasses.dataclass
class JudgedDenial:
    denial: Denial = dataclasses.field(default_factory=lambda: Denial())  # as the run's result has it
    outcome: Literal["denied", "allowed", "unknown"] = "unknown"  # what becomes of it under the policy explained
    why: str = ""  # what decides that


@dataclasses.dataclass
class MediaTask:
    taskId: str  # to ask the orchestrator with
    status: str  # as the provider said
    startedAt: Optional[str] = None  # when it was asked


@dataclasses.dataclass
class Sandbox:
    metadata: ObjectMeta  # identity
    apiVersion: str = "paddock.dev/v1alpha1"  # paddock.dev/v1alpha1
    kind: str = "Sandbox"  # Sandbox
    spec: SandboxSpec = dataclasses.field(default_factory=lambda: SandboxSpec())  # what was asked for
    status: SessionStatus = dataclasses.field(default_factory=lambda: SessionStatus())  # what is


@dataclasses.dataclass
class SandboxSpec:
    security: SecurityOptions = dataclasses.field(default_factory=lambda: SecurityOptions())  # fixed for the session's life
    idleTimeout: Optional[str] = None  # the session ends when nothing was asked of it for so long; 15m unless given
    lifetime: Optional[str] = None  # and so long after it was made at the latest; 8h unless given, can be changed
    terminationGrace: Optional[str] = None  # from SIGTERM to SIGKILL when a command's time is up or it is canceled; none unless given
    nodeSelector: dict[str, str] = dataclasses.field(default_factory=dict)  # labels of the node that it needs
    suspended: Optional[bool] = None  # it takes no command and no change of a file, and does not end by being idle; can be changed


@dataclasses.dataclass
class SecurityOptions:
    network: NetworkPolicy = dataclasses.field(default_factory=lambda: NetworkPolicy())  # none unless enabled, and then these domains
    hostMounts: list[HostMount] = dataclasses.field(default_factory=list)  # folders of the node; none by default
    toolAllowlist: Optional[list[str]] = None  # programs that may be executed; core tools and python3 unless given
    limits: SessionLimits = dataclasses.field(default_factory=lambda: SessionLimits())  # what may be used up
    env: dict[str, str] = dataclasses.field(default_factory=dict)  # variables of its commands, beside those of the profile


@dataclasses.dataclass
class SessionLimits:
    timeoutMs: Optional[int] = None  # real time of one command
    memoryBytes: Optional[int] = None  # memory of one command's processes
    fsBytes: Optional[int] = None  # bytes of all files of the session
    fileCount: Optional[int] = None  # files and folders of the session
    stdoutBytes: Optional[int] = None  # of standard output kept
    stderrBytes: Optional[int] = None  # of standard error kept
    commandBytes: Optional[int] = None  # length of one command's text
    rpcBytes: Optional[int] = None  # size of one request about this session


@dataclasses.dataclass
class SessionStatus:
    phase: Literal["Pending", "Ready", "Ended"] = "Pending"  # Pending, Ready or Ended
    nodeName: str = ""  # where it lives
    reason: str = ""  # why it ended
    message: str = ""  # a sentence
    createdBy: str = ""  # who made it
    expiresAt: Optional[str] = None  # the end of its lifetime
    readyAt: Optional[str] = None  # when its node had made it, or was well again
    endedAt: Optional[str] = None  # when it ended
    conditions: list[Condition] = dataclasses.field(default_factory=list)  # Ready: whether commands can be run in it; NodeTrouble: that its node is away or has a fault
    agentSandbox: Any = None  # the spec of the agents.x-k8s.io Sandbox that it was made for
    claim: str = ""  # the SandboxClaim that it was made for


@dataclasses.dataclass
class CommandRequest:
    command: str  # text for the shell inside
    commandId: str = ""  # to cancel it by, chosen by the caller; one is made unless given


@dataclasses.dataclass
class RunCommandRequest:
    command: list[str]  # argv, executed as it is: no shell, looked up in the run's PATH
    commandId: str = ""  # to cancel it by, chosen by the caller; one is made unless given
    timeoutMs: Optional[int] = None  # the most that it may take: an hour, with a terminal a day; a minute unless given, with a terminal the most
    stdin: str = ""  # what it reads as its standard input, as base64: 8 MiB at most. It reads the end of its input at once unless given
    stdinComes: bool = False  # its standard input comes while it runs, by `…/{command}/stdin`; needs a commandId, and there is no `stdin`
    terminal: Optional[TerminalSize] = None  # it has a terminal of this size, which is its standard input, output and error: all that it writes is `stdout`, as it is


@dataclasses.dataclass
class TerminalSize:
    rows: int = 24  # 24 unless given
    columns: int = 80  # 80 unless given


@dataclasses.dataclass
class SignalRequest:
    signal: Literal["HUP", "INT", "TERM", "USR1", "USR2", "WINCH", "CONT"]  # HUP, INT, TERM, USR1, USR2, WINCH or CONT


@dataclasses.dataclass
class InputPiece:
    seq: int  # 1 is the first, and each is one more than the one before: one that was taken already is not taken again
    data: str = ""  # what it reads, as base64: 32 KiB at most
    end: bool = False  # nothing comes behind it: the command reads the end of its input. Not of a terminal, which reads Ctrl-D
    terminal: Optional[TerminalSize] = None  # its terminal has this size from here on


@dataclasses.dataclass
class InputTaken:
    next: int = 1  # the `seq` of the piece that comes next


@dataclasses.dataclass
class RunResult:
    commandId: str = ""  # of this command
    exitCode: int = 0  # as a shell would show it
    stdout: str = ""  # at most stdoutBytes of it
    stderr: str = ""  # at most stderrBytes of it
    executionTimeMs: int = 0  # from start to the last process
    truncated: Optional[Truncated] = None  # which stream was cut; absent if none was
    errorClass: Optional[str] = None  # TIMEOUT, CANCELLED, CAPABILITY_DENIED or LIMIT_EXCEEDED
    code: Optional[str] = None  # E_CAPABILITY_DENIED, E_LIMIT_MEMORY, …
    reason: str = ""  # why it did not succeed
    denials: list[Denial] = dataclasses.field(default_factory=list)  # what was refused


@dataclasses.dataclass
class SessionFileList:
    path: str = ""  # of the folder
    files: list[SessionFile] = dataclasses.field(default_factory=list)  # by name


@dataclasses.dataclass
class SessionFile:
    name: str = ""  # in its folder
    type: str = ""  # file, folder, link or other
    size: int = 0  # in bytes


@dataclasses.dataclass
class Workspace:
    metadata: ObjectMeta  # identity
    apiVersion: str = "paddock.dev/v1alpha1"  # paddock.dev/v1alpha1
    kind: str = "Workspace"  # Workspace
    spec: WorkspaceSpec = dataclasses.field(default_factory=lambda: WorkspaceSpec())  # what is wanted
    status: WorkspaceStatus = dataclasses.field(default_factory=lambda: WorkspaceStatus())  # what is stored


@dataclasses.dataclass
class WorkspaceSpec:
    source: str = ""  # where it came from, for people


@dataclasses.dataclass
class WorkspaceStatus:
    root: str = ""  # digest of the stored tree
    files: int = 0  # how many files it has
    bytes: int = 0  # the size of all its files together


@dataclasses.dataclass
class Tree:
    entries: list[TreeEntry]  # files
    links: list[TreeLink] = dataclasses.field(default_factory=list)  # symbolic links that stay inside
    folders: list[TreeFolder] = dataclasses.field(default_factory=list)  # folders with nothing in them


@dataclasses.dataclass
class TreeEntry:
    path: str  # relative path
    digest: str  # SHA-256 of the content
    size: int  # bytes
    executable: bool = False  # whether the owner may execute it


@dataclasses.dataclass
class TreeLink:
    path: str  # relative path
    target: str  # where it leads, relative to its own folder


@dataclasses.dataclass
class TreeFolder:
    path: str  # relative path


@dataclasses.dataclass
class TreeAnswer:
    root: str = ""  # digest of the whole tree
    stored: bool = False  # whether the tree is stored now
    missing: list[str] = dataclasses.field(default_factory=list)  # blobs the server lacks
    compressions: list[str] = dataclasses.field(default_factory=list)  # how blobs may be sent besides as they are: zstd; bundle, many in one request


@dataclasses.dataclass
class Volume:
    metadata: ObjectMeta  # identity
    apiVersion: str = "paddock.dev/v1alpha1"  # paddock.dev/v1alpha1
    kind: str = "Volume"  # Volume
    status: VolumeStatus = dataclasses.field(default_factory=lambda: VolumeStatus())  # what was published


@dataclasses.dataclass
class VolumeStatus:
    versions: list[VolumeVersion] = dataclasses.field(default_factory=list)  # those that are kept, oldest first


@dataclasses.dataclass
class VolumeVersion:
    version: int = 0  # the number of the version, which grows by one
    root: str = ""  # digest of the tree
    files: int = 0  # how many files it has
    bytes: int = 0  # the size of all its files together
    run: str = ""  # the run that published it
    runUid: str = ""  # the uid of that run
    publishedAt: Optional[str] = None  # when that run ended


@dataclasses.dataclass
class Grant:
    metadata: ObjectMeta  # identity
    apiVersion: str = "paddock.dev/v1alpha1"  # paddock.dev/v1alpha1
    kind: str = "Grant"  # Grant
    spec: GrantSpec = dataclasses.field(default_factory=lambda: GrantSpec())  # what it gives
    status: GrantStatus = dataclasses.field(default_factory=lambda: GrantStatus())  # what was used of it


@dataclasses.dataclass
class GrantSpec:
    subjects: list[str] = dataclasses.field(default_factory=list)  # callers whose runs have it without naming it
    parent: str = ""  # the grant that this one is a part of
    media: Optional[MediaGrant] = None  # what may be generated; nothing unless given
    compute: Optional[ComputeGrant] = None  # what a run may use; no accelerator unless given


@dataclasses.dataclass
class MediaGrant:
    surfaces: list[Literal["image", "video", "audio"]] = dataclasses.field(default_factory=list)  # image, video, audio; all if empty
    models: list[str] = dataclasses.field(default_factory=list)  # models that may be used; all if empty
    count: Optional[int] = None  # how many in all


@dataclasses.dataclass
class ComputeGrant:
    accelerators: list[Accelerators] = dataclasses.field(default_factory=list)  # per kind the most of a run; none if empty
    cpu: Optional[int] = None  # cores of a run at most
    memory: Optional[str] = None  # memory of a run at most
    timeout: Optional[str] = None  # timeout of a run at most
    deadline: Optional[str] = None  # the time by which runs under the grant have ended
    quota: Optional[ComputeQuota] = None  # what all runs of the namespace have at once; an administrator's to set


@dataclasses.dataclass
class ComputeQuota:
    runs: Optional[int] = None  # how many runs are placed at once
    cpu: Optional[int] = None  # cores; a run that asks for none counts as one
    memory: Optional[str] = None  # memory that the sandboxes of placed runs may use together
    disk: Optional[str] = None  # bytes that the sandboxes of placed runs may write together
    accelerators: list[DevicesOfKind] = dataclasses.field(default_factory=list)  # devices by kind; a run that asks for any counts for every kind


@dataclasses.dataclass
class DevicesOfKind:
    count: int  # how many devices
    kind: Literal["nvidia", "apple", "any"] = "any"  # nvidia, apple, or any: all together


@dataclasses.dataclass
class GrantStatus:
    mediaUsed: int = 0  # how many were generated
    quotaUsed: Optional[QuotaUse] = None  # what of spec.compute.quota is in use now


@dataclasses.dataclass
class QuotaUse:
    runs: int = 0  # how many runs are placed now
    cpu: int = 0  # cores that placed runs count as
    memory: str = "0"  # memory that the sandboxes of placed runs may use together
    disk: str = "0"  # bytes that the sandboxes of placed runs may write together
    accelerators: list[DevicesOfKind] = dataclasses.field(default_factory=list)  # devices of placed runs by kind


@dataclasses.dataclass
class GrantQuestion:
    surface: Optional[Literal["image", "video", "audio"]] = None  # the kind of media to be generated
    model: str = ""  # the model that is to generate media
    resources: Optional[Resources] = None  # what a run asks for
    timeout: Optional[str] = None  # the timeout that a run asks for


@dataclasses.dataclass
class GrantDecision:
    allowed: bool = False  # the answer
    reason: str = ""  # a stable word, of a refusal
    message: str = ""  # a sentence
    checks: list[GrantCheck] = dataclasses.field(default_factory=list)  # every rule that was looked at


@dataclasses.dataclass
class GrantCheck:
    grant: str = ""  # the grant that was looked at
    rule: str = ""  # the rule of that grant
    asked: str = ""  # what was asked for
    given: str = ""  # what the rule gives
    allowed: bool = False  # whether that is enough


@dataclasses.dataclass
class ToolToken:
    metadata: ObjectMeta  # identity
    spec: ToolTokenSpec  # what it is good for
    apiVersion: str = "paddock.dev/v1alpha1"  # paddock.dev/v1alpha1
    kind: str = "ToolToken"  # ToolToken
    status: ToolTokenStatus = dataclasses.field(default_factory=lambda: ToolTokenStatus())  # whether it still is


@dataclasses.dataclass
class ToolTokenSpec:
    run: str  # name of the run that it belongs to
    operations: list[str]  # run:read, media:generate, …
    endpoints: list[str] = dataclasses.field(default_factory=list)  # subresources of the run that it opens; unless given, all that its operations need
    ttl: Optional[str] = None  # 15m unless given; 24h at most
    revokeOnStreamEnd: bool = False  # end it when a stream of the run's events ends


@dataclasses.dataclass
class ToolTokenStatus:
    phase: Literal["Active", "Expired", "Revoked"] = "Active"  # Active, Expired or Revoked
    runUid: str = ""  # the run's uid
    attempt: int = 0  # of the run in whose environment it is; 0 for others
    parent: str = ""  # the tool token that made it
    issuedAt: Optional[str] = None  # when it was made
    expiresAt: Optional[str] = None  # when it ends by itself
    revokedAt: Optional[str] = None  # when it was ended
    reason: Optional[Literal["child_exit", "sse_end", "ttl_expired", "manual"]] = None  # why it ended: child_exit, sse_end, ttl_expired or manual
    token: str = ""  # the secret: shown once, in the answer that creates it


@dataclasses.dataclass
class Secret:
    metadata: ObjectMeta  # identity
    apiVersion: str = "paddock.dev/v1alpha1"  # paddock.dev/v1alpha1
    kind: str = "Secret"  # Secret
    type: str = ""  # for people and tools; Paddock makes nothing of it
    data: dict[str, str] = dataclasses.field(default_factory=dict)  # values by name, in base64; shown as ***, which in a change keeps the value
    stringData: dict[str, str] = dataclasses.field(default_factory=dict)  # values by name, as text, on top of data; never shown
    immutable: Optional[bool] = None  # true: its values never change again, nor does this; delete it and make another
    status: SecretStatus = dataclasses.field(default_factory=lambda: SecretStatus())  # what there is


@dataclasses.dataclass
class SecretStatus:
    values: list[SecretValueSize] = dataclasses.field(default_factory=list)  # names and sizes of the values
    createdBy: str = ""  # the subject whose token made the Secret


@dataclasses.dataclass
class SecretValueSize:
    name: str  # the value's name
    bytes: int = 0  # the value's size
    sentBy: str = ""  # the subject whose token sent the value


@dataclasses.dataclass
class SecretKeyRotation:
    keyId: str = ""  # of the key that is in use now; no part of it
    values: int = 0  # how many were sealed anew


@dataclasses.dataclass
class ReceiptEnvelope:
    payload: str  # the in-toto statement, as base64
    payloadType: str  # application/vnd.in-toto+json
    signatures: list[EnvelopeSignature]  # of type and payload together


@dataclasses.dataclass
class EnvelopeSignature:
    sig: str  # Ed25519, as base64
    keyid: str = ""  # SHA-256 of the public key's DER, in hexadecimal


@dataclasses.dataclass
class ReceiptKeyList:
    items: list[ReceiptKey] = dataclasses.field(default_factory=list)  # the one that signs, then the former ones


@dataclasses.dataclass
class ReceiptKey:
    keyId: str = ""  # what signatures call it
    publicKey: str = ""  # PEM
    current: bool = False  # whether it signs now; others did before


@dataclasses.dataclass
class Node:
    metadata: ObjectMeta  # identity
    apiVersion: str = "paddock.dev/v1alpha1"  # paddock.dev/v1alpha1
    kind: str = "Node"  # Node
    spec: NodeSpec = dataclasses.field(default_factory=lambda: NodeSpec())  # what the operator wants
    status: NodeStatus = dataclasses.field(default_factory=lambda: NodeStatus())  # what the agent reports


@dataclasses.dataclass
class NodeSpec:
    unschedulable: bool = False  # cordoned: gets nothing new
    taints: list[Taint] = dataclasses.field(default_factory=list)  # gets only runs that tolerate them
    drain: Optional[Drain] = None  # being emptied


@dataclasses.dataclass
class Taint:
    key: str  # what it is about
    value: str = ""  # of the key
    effect: str = "NoSchedule"  # NoSchedule: nothing new that does not tolerate it


@dataclasses.dataclass
class Drain:
    requestedAt: str = "1970-01-01T00:00:00Z"  # when it was asked for
    evictAt: str = "1970-01-01T00:00:00Z"  # what still runs then is ended


@dataclasses.dataclass
class NodeStatus:
    ready: bool = False  # holds a lease
    reason: str = ""  # LEASE_EXPIRED, NODE_LOST, AGENT_STOPPED
    message: str = ""  # why not
    capacity: Capacity = dataclasses.field(default_factory=lambda: Capacity())  # what the host has
    allocatableDisk: Optional[str] = None  # bytes of disk that its runs may ask for together: what is free beyond minFree, and what they have written of what they asked for
    conditions: list[Condition] = dataclasses.field(default_factory=list)  # Ready: whether it holds a lease and can begin runs; DiskPressure: whether its disk is too full for them; HostFault: whether it can begin none
    coolDown: Optional[CoolDown] = None  # what the controller makes of runs that it could not begin, until one begins
    cpuFeatures: list[str] = dataclasses.field(default_factory=list)  # instructions that programs are built for, as the kernel names them, sorted
    devices: list[Device] = dataclasses.field(default_factory=list)  # accelerators
    capabilities: list[Capability] = dataclasses.field(default_factory=list)  # what the sandbox can enforce here, proven at start
    canaries: list[Canary] = dataclasses.field(default_factory=list)  # forbidden things that were tried inside; a run that needs one which failed goes elsewhere
    ceilings: Optional[Ceilings] = None  # what its operator lets a policy ask for
    largestLimits: SandboxLimits = dataclasses.field(default_factory=lambda: SandboxLimits())  # the most that a policy may ask for of what its operator named no ceiling for
    maxSessions: int = 0  # sandbox sessions at once; 0: it takes none
    agentVersion: str = ""  # version of the agent
    protocolVersion: Optional[int] = None  # of what the agent and the controller say to each other, as the agent speaks it
    os: str = ""  # linux or darwin
    arch: str = ""  # amd64 or arm64
    lastSeen: Optional[str] = None  # last heartbeat
    endsAt: Optional[str] = None  # when its host goes away: it gets only runs that end before; absent: it stays


@dataclasses.dataclass
class Capacity:
    cpu: int = 0  # cores
    memory: str = "0"  # bytes
    disk: str = "0"  # free bytes for workspaces
    maxRuns: int = 4  # runs at once


@dataclasses.dataclass
class CoolDown:
    until: Optional[str] = None  # it gets no new runs before; absent: it has rested
    lastAt: Optional[str] = None  # when it failed last
    failures: int = 0  # how often in a row it could begin no run
    reason: str = ""  # of that
    message: str = ""  # of that


@dataclasses.dataclass
class Device:
    kind: str = ""  # nvidia or apple
    id: str = ""  # stable on its node
    model: str = ""  # for people
    memory: Optional[str] = None  # bytes, where the driver says
    fault: str = ""  # why no run gets it; absent while it is well


@dataclasses.dataclass
class Capability:
    name: str = ""  # memory, pids, network, …
    available: bool = False  # proven at start
    mechanism: str = ""  # how it is enforced here
    details: str = ""  # why not, and what would help
    reason: str = ""  # why there is less of it than elsewhere: a stable word; absent if nothing is missing


@dataclasses.dataclass
class Canary:
    name: str  # which canary
    capability: str  # what it proves: an entry of `enforced`
    attempt: str = ""  # what was tried inside
    expected: str = ""  # what the kernel should answer
    got: str = ""  # what it answered
    passed: bool = False  # whether the attempt was stopped
    level: Literal["kernel", "broker", "polled", "advisory", "none"] = "none"  # kernel, broker, polled, advisory or none
    remedy: str = ""  # the line that would fix or strengthen this host


@dataclasses.dataclass
class Ceilings:
    limits: SandboxLimits = dataclasses.field(default_factory=lambda: SandboxLimits())  # largest limits; those left out follow from what hosts have
    network: bool = False  # whether a policy may allow domains
    hostMounts: list[str] = dataclasses.field(default_factory=list)  # folders of the host that a policy may mount, with all below
    devices: list[str] = dataclasses.field(default_factory=list)  # devices that a policy may name
    terminationGrace: Optional[str] = None  # longest time between SIGTERM and SIGKILL that a run may ask for


@dataclasses.dataclass
class ExecuteRequest:
    code: str  # the program
    language: str = "python"  # python
    timeout_seconds: Optional[int] = None  # 1 to 60, 30 unless given
    memory_mb: Optional[int] = None  # 64 to 512, 256 unless given
    input_data: Any = None  # an object, which the program finds as `input_data`


@dataclasses.dataclass
class ExecuteAnswer:
    success: bool = False  # the program ended with exit code 0
    stdout: str = ""  # what the code printed on its standard output
    stderr: str = ""  # what the code printed on its standard error
    exit_code: int = -1  # the program's; -1 where none ended
    execution_time_ms: int = 0  # from the request's arrival on the node to the end of its last process
    error: Optional[str] = None  # null, or why it did not succeed
    validation_errors: Optional[list[str]] = None  # null, or everything that the validator refused


@dataclasses.dataclass
class AuditList:
    apiVersion: str = "paddock.dev/v1alpha1"  # paddock.dev/v1alpha1
    kind: str = "AuditEventList"  # AuditEventList
    items: list[AuditEvent] = dataclasses.field(default_factory=list)  # oldest first
    last: int = 0  # id to go on after


@dataclasses.dataclass
class AuditEvent:
    id: int = 0  # grows with every event
    time: str = "1970-01-01T00:00:00Z"  # the controller's clock
    type: str = ""  # a stable word
    subject: str = ""  # who did it
    namespace: str = ""  # the namespace in which it was done
    object: str = ""  # the object to which it was done: plural/name
    session_id: str = ""  # uid of run or session
    command_id: str = ""  # uid/attempt or uid/command
    reason: str = ""  # a stable word
    request_id: str = ""  # the id of the API request
    details: dict[str, str] = dataclasses.field(default_factory=dict)  # further facts, which depend on the type


@dataclasses.dataclass
class AuditChainPage:
    anchor: ChainPlace  # the newest record that was forgotten when its time was over; id 0: none was
    items: list[ChainedRecord]  # oldest first; none: there are no more
    lastGiven: int  # the highest id that was ever given out


@dataclasses.dataclass
class ChainPlace:
    id: int  # the record's id; 0: before the first one
    hash: str  # its link, in hexadecimal


@dataclasses.dataclass
class ChainedRecord:
    id: int  # the event's id
    hash: str  # SHA-256 of `paddock audit 1`, the hash before it, the id and the record, a line each
    record: str  # the event's JSON, byte for byte as it is stored
    misfiled: bool = False  # searches do not find it by what it says: the store's columns were changed


@dataclasses.dataclass
class AccessTokenRequest:
    subject: str  # who it is for, as audit log and grants name it: letters, digits and -._@
    scopes: list[str]  # what it may do, such as runs:write; * is all
    namespace: str = ""  # the only one it is good for; all unless given
    ttl: str = "2160h"  # 2160h unless given; from 1m to 87840h


@dataclasses.dataclass
class AccessTokenList:
    items: list[AccessToken] = dataclasses.field(default_factory=list)  # by id


@dataclasses.dataclass
class AccessToken:
    id: str = ""  # names it in the audit log, and to revoke it
    subject: str = ""  # who it is for
    scopes: list[str] = dataclasses.field(default_factory=list)  # what it may do
    namespace: str = ""  # the only one it is good for; all unless given
    expiresAt: Optional[str] = None  # when its time is over; never unless given
    token: str = ""  # the secret, shown when it is made and never again
