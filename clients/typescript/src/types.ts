// The objects of the API, by the names that they have there; `…Input` is what is sent of one.
// Made by scripts/generate from the API's own declarations: change those, not this.

export interface Run {
  /** identity */
  metadata: ObjectMeta;
  /** what is wanted */
  spec: RunSpec;
  /** paddock.dev/v1alpha1 */
  apiVersion: string;
  /** Run */
  kind: string;
  /** what is observed */
  status: RunStatus;
}

export interface ObjectMeta {
  /** unique within its kind and namespace; a DNS label */
  name?: string;
  /** prefix for a name made by the server */
  generateName?: string;
  /** where the object lives */
  namespace?: string;
  /** set by the server, never used twice */
  uid?: string;
  /** changes with every write; send it back to detect a stale write */
  resourceVersion?: string;
  /** changes with every change of spec */
  generation: number;
  /** when the server stored it first */
  creationTimestamp?: string;
  /** when deletion was asked for: the object goes once nothing holds it */
  deletionTimestamp?: string;
  /** from then on, what its command had to end by itself */
  deletionGracePeriodSeconds?: number;
  /** who must let go of it before it is gone: each removes its own */
  finalizers?: string[];
  /** for selection */
  labels?: Record<string, string>;
  /** for tools; not selectable */
  annotations?: Record<string, string>;
  /** who set which field; kept by the server */
  managedFields?: ManagedFields[];
}

export interface ManagedFields {
  /** who set the fields */
  manager: string;
  /** Apply or Update */
  operation: string;
  /** the version that the fields are of */
  apiVersion: string;
  /** when it last changed */
  time?: string;
  /** FieldsV1 */
  fieldsType: string;
  /** a tree of "f:<name>" members */
  fieldsV1: unknown;
  /** by which the fields were set */
  subresource?: string;
}

export interface RunSpec {
  /** command, compute, script, gradle, code, test or agent */
  type: "compute" | "script" | "gradle" | "code" | "test" | "agent" | "command";
  /** argv as a list, or one string split without a shell; required but for type code */
  command?: string | string[];
  /** Python source, the program of a run of type code */
  code?: string;
  /** an object or null, which the code finds as `input_data`; at most 256 KiB as JSON */
  inputData?: unknown;
  /** name of the Workspace whose files the run reads */
  workspace?: string;
  /** digest of the tree that the Workspace must hold; whatever it holds unless given */
  workspaceRoot?: string;
  /** requirements.txt or package.json in the workspace */
  requirements?: string;
  /** what comes back */
  artifacts: ArtifactRequest;
  /** Volume that gets the artifacts as its next version if the run succeeds */
  publish?: string;
  /** shared volumes that the run reads */
  volumes?: VolumeUse[];
  /** values of Secrets that the run gets, as files beneath /run/secrets or as variables */
  secrets?: SecretUse[];
  /** file of the workspace that the command reads as its standard input; empty: none */
  stdinFile?: string;
  /** wall time; 30m unless given */
  timeout?: string;
  /** from SIGTERM to SIGKILL when its time is up, it is canceled or its node is drained */
  terminationGrace?: string;
  /** what the node must have free */
  resources?: Resources;
  /** labels the node must carry */
  nodeSelector?: Record<string, string>;
  /** taints that the run does not mind */
  tolerations?: Toleration[];
  /** the weakest level at which the node must have proven what the run needs */
  sandboxLevel?: "kernel" | "broker" | "polled" | "advisory" | "none";
  /** higher goes first */
  priority: number;
  /** how often, and after what; once unless given */
  retry?: RetryPolicy;
  /** from creation; a run that has not ended by then is ended, also one that waits */
  deadline?: string;
  /** sandbox profile; by default the type's own */
  profile?: string;
  /** policy on top of the profile */
  sandbox: SandboxPolicy;
  /** always explicit in the stored object */
  mediaExecution?: MediaExecution;
  /** what the tool token in the run's environment is good for; none unless given */
  toolToken?: ToolTokenRequest;
  /** MCP servers of an agent run; not shown again, status.toolBundle has a summary */
  toolBundle?: ToolBundle;
  /** names of the Grants that the run is held to; its creator's unless given */
  grants?: string[];
  /** the run is an array: all else in its spec is that of each of its elements */
  array?: ArraySpec;
  /** the run is a gang of so many members, each on a node of its own, all placed at once or none; all else in its spec is that of each member */
  nodes?: number;
  /** TCP ports of each member that the others are to reach: refused as long as no node connects members (GANG_NETWORK_UNAVAILABLE) */
  memberPorts?: number[];
  /** set by the cancel subresource */
  cancelRequested: boolean;
}

export interface RunSpecInput {
  /** command, compute, script, gradle, code, test or agent */
  type: "compute" | "script" | "gradle" | "code" | "test" | "agent" | "command";
  /** argv as a list, or one string split without a shell; required but for type code */
  command?: string | string[];
  /** Python source, the program of a run of type code */
  code?: string;
  /** an object or null, which the code finds as `input_data`; at most 256 KiB as JSON */
  inputData?: unknown;
  /** name of the Workspace whose files the run reads */
  workspace?: string;
  /** digest of the tree that the Workspace must hold; whatever it holds unless given */
  workspaceRoot?: string;
  /** requirements.txt or package.json in the workspace */
  requirements?: string;
  /** what comes back */
  artifacts?: ArtifactRequestInput;
  /** Volume that gets the artifacts as its next version if the run succeeds */
  publish?: string;
  /** shared volumes that the run reads */
  volumes?: VolumeUseInput[];
  /** values of Secrets that the run gets, as files beneath /run/secrets or as variables */
  secrets?: SecretUseInput[];
  /** file of the workspace that the command reads as its standard input; empty: none */
  stdinFile?: string;
  /** wall time; 30m unless given */
  timeout?: string;
  /** from SIGTERM to SIGKILL when its time is up, it is canceled or its node is drained */
  terminationGrace?: string;
  /** what the node must have free */
  resources?: ResourcesInput;
  /** labels the node must carry */
  nodeSelector?: Record<string, string>;
  /** taints that the run does not mind */
  tolerations?: TolerationInput[];
  /** the weakest level at which the node must have proven what the run needs */
  sandboxLevel?: "kernel" | "broker" | "polled" | "advisory" | "none";
  /** higher goes first */
  priority?: number;
  /** how often, and after what; once unless given */
  retry?: RetryPolicyInput;
  /** from creation; a run that has not ended by then is ended, also one that waits */
  deadline?: string;
  /** sandbox profile; by default the type's own */
  profile?: string;
  /** policy on top of the profile */
  sandbox?: SandboxPolicyInput;
  /** always explicit in the stored object */
  mediaExecution?: MediaExecutionInput;
  /** what the tool token in the run's environment is good for; none unless given */
  toolToken?: ToolTokenRequestInput;
  /** MCP servers of an agent run; not shown again, status.toolBundle has a summary */
  toolBundle?: ToolBundleInput;
  /** names of the Grants that the run is held to; its creator's unless given */
  grants?: string[];
  /** the run is an array: all else in its spec is that of each of its elements */
  array?: ArraySpecInput;
  /** the run is a gang of so many members, each on a node of its own, all placed at once or none; all else in its spec is that of each member */
  nodes?: number;
  /** TCP ports of each member that the others are to reach: refused as long as no node connects members (GANG_NETWORK_UNAVAILABLE) */
  memberPorts?: number[];
  /** set by the cancel subresource */
  cancelRequested?: boolean;
}

export interface ArtifactRequest {
  /** folders of the workspace whose files come back */
  dirs: string[];
}

export interface ArtifactRequestInput {
  /** folders of the workspace whose files come back */
  dirs?: string[];
}

export interface VolumeUse {
  /** name of a Volume of the run's namespace */
  name: string;
  /** the newest unless given */
  version?: number;
}

export interface VolumeUseInput {
  /** name of a Volume of the run's namespace */
  name: string;
  /** the newest unless given */
  version?: number;
}

export interface SecretUse {
  /** name of a Secret of the run's namespace */
  name: string;
  /** which of its values; all of them unless given */
  key?: string;
  /** variable that has the value; unless given, values are files /run/secrets/NAME/KEY */
  variable?: string;
}

export interface SecretUseInput {
  /** name of a Secret of the run's namespace */
  name: string;
  /** which of its values; all of them unless given */
  key?: string;
  /** variable that has the value; unless given, values are files /run/secrets/NAME/KEY */
  variable?: string;
}

export interface Resources {
  /** whole cores, for all its processes together */
  cpu?: number;
  /** set aside on the node */
  memory?: string;
  /** set aside on the node's disk for what the run writes there; 16Mi unless given */
  disk?: string;
  /** devices the run needs */
  accelerators?: Accelerators;
}

export interface ResourcesInput {
  /** whole cores, for all its processes together */
  cpu?: number;
  /** set aside on the node */
  memory?: string;
  /** set aside on the node's disk for what the run writes there; 16Mi unless given */
  disk?: string;
  /** devices the run needs */
  accelerators?: AcceleratorsInput;
}

export interface Accelerators {
  /** nvidia, apple or any */
  kind: "nvidia" | "apple" | "any";
  /** how many devices */
  count: number;
}

export interface AcceleratorsInput {
  /** nvidia, apple or any */
  kind?: "nvidia" | "apple" | "any";
  /** how many devices */
  count?: number;
}

export interface Toleration {
  /** of the taint; empty with Exists: any */
  key?: string;
  /** Equal or Exists */
  operator: "Equal" | "Exists";
  /** of the taint, with Equal */
  value?: string;
  /** of the taint; empty: any */
  effect?: string;
}

export interface TolerationInput {
  /** of the taint; empty with Exists: any */
  key?: string;
  /** Equal or Exists */
  operator?: "Equal" | "Exists";
  /** of the taint, with Equal */
  value?: string;
  /** of the taint; empty: any */
  effect?: string;
}

export interface RetryPolicy {
  /** the first one included */
  maxAttempts: number;
  /** before the second attempt; doubles each time */
  backoff: string;
  /** the longest wait */
  maxBackoff: string;
  /** NodeLost, StartFailed, Evicted; all of them unless given. NodeLost and Evicted may run a command that ran in part already */
  on?: ("NodeLost" | "StartFailed" | "Evicted")[];
}

export interface RetryPolicyInput {
  /** the first one included */
  maxAttempts?: number;
  /** before the second attempt; doubles each time */
  backoff?: string;
  /** the longest wait */
  maxBackoff?: string;
  /** NodeLost, StartFailed, Evicted; all of them unless given. NodeLost and Evicted may run a command that ran in part already */
  on?: ("NodeLost" | "StartFailed" | "Evicted")[];
}

export interface SandboxPolicy {
  /** network access; none when absent */
  network?: NetworkPolicy;
  /** host folders visible inside */
  hostMounts?: HostMount[];
  /** the only programs that can be executed; empty means all of the system's */
  tools?: string[];
  /** what may be used up */
  limits: SandboxLimits;
  /** variables added to the minimal environment */
  env?: Record<string, string>;
  /** device nodes that exist inside */
  devices?: string[];
  /** run even if this host cannot enforce every limit; never covers network or files */
  allowPartial: boolean;
}

export interface SandboxPolicyInput {
  /** network access; none when absent */
  network?: NetworkPolicyInput;
  /** host folders visible inside */
  hostMounts?: HostMountInput[];
  /** the only programs that can be executed; empty means all of the system's */
  tools?: string[];
  /** what may be used up */
  limits?: SandboxLimitsInput;
  /** variables added to the minimal environment */
  env?: Record<string, string>;
  /** device nodes that exist inside */
  devices?: string[];
  /** run even if this host cannot enforce every limit; never covers network or files */
  allowPartial?: boolean;
}

export interface NetworkPolicy {
  /** whether any network exists inside; none by default */
  enabled: boolean;
  /** names that may be reached */
  allowDomains: string[];
  /** whether programs inside reach each other by 127.0.0.1 and ::1; as the profile says unless given */
  loopback?: boolean;
}

export interface NetworkPolicyInput {
  /** whether any network exists inside; none by default */
  enabled?: boolean;
  /** names that may be reached */
  allowDomains?: string[];
  /** whether programs inside reach each other by 127.0.0.1 and ::1; as the profile says unless given */
  loopback?: boolean;
}

export interface HostMount {
  /** absolute path on the node */
  hostPath: string;
  /** absolute path inside */
  sandboxPath: string;
  /** ro or rw */
  mode: "ro" | "rw";
}

export interface HostMountInput {
  /** absolute path on the node */
  hostPath: string;
  /** absolute path inside */
  sandboxPath: string;
  /** ro or rw */
  mode?: "ro" | "rw";
}

export interface SandboxLimits {
  /** real time until the whole tree is killed */
  wallTime?: string;
  /** CPU time over all processes */
  cpuTime?: string;
  /** memory of all processes together */
  memory?: string;
  /** address space of each process (RLIMIT_AS); replaced by memory where a device is granted */
  addressSpace?: string;
  /** processes and threads alive at once */
  pids?: number;
  /** descriptors a process may hold */
  openFiles?: number;
  /** size of one written file */
  fileSize?: string;
  /** bytes of private scratch space, and that the workspace may grow by */
  fsBytes?: string;
  /** files in private scratch space, and that the workspace may grow by */
  fileCount?: number;
  /** standard output kept */
  stdout?: string;
  /** standard error kept */
  stderr?: string;
  /** length of the command and its arguments */
  commandBytes?: string;
}

export interface SandboxLimitsInput {
  /** real time until the whole tree is killed */
  wallTime?: string;
  /** CPU time over all processes */
  cpuTime?: string;
  /** memory of all processes together */
  memory?: string;
  /** address space of each process (RLIMIT_AS); replaced by memory where a device is granted */
  addressSpace?: string;
  /** processes and threads alive at once */
  pids?: number;
  /** descriptors a process may hold */
  openFiles?: number;
  /** size of one written file */
  fileSize?: string;
  /** bytes of private scratch space, and that the workspace may grow by */
  fsBytes?: string;
  /** files in private scratch space, and that the workspace may grow by */
  fileCount?: number;
  /** standard output kept */
  stdout?: string;
  /** standard error kept */
  stderr?: string;
  /** length of the command and its arguments */
  commandBytes?: string;
}

export interface MediaExecution {
  mode?: string;
  allowedSurfaces?: string[];
  allowedModels?: string[];
}

export interface MediaExecutionInput {
  mode?: string;
  allowedSurfaces?: string[];
  allowedModels?: string[];
}

export interface ToolTokenRequest {
  /** run:read, media:generate, … */
  operations: string[];
  /** subresources of the run that it opens; unless given, all that its operations need */
  endpoints?: string[];
  /** 15m unless given; 24h at most */
  ttl?: string;
  /** end it when a stream of the run's events ends */
  revokeOnStreamEnd: boolean;
}

export interface ToolTokenRequestInput {
  /** run:read, media:generate, … */
  operations: string[];
  /** subresources of the run that it opens; unless given, all that its operations need */
  endpoints?: string[];
  /** 15m unless given; 24h at most */
  ttl?: string;
  /** end it when a stream of the run's events ends */
  revokeOnStreamEnd?: boolean;
}

export interface ToolBundle {
  mcpServers?: (Record<string, unknown>)[];
}

export interface ToolBundleInput {
  mcpServers?: (Record<string, unknown>)[];
}

export interface ArraySpec {
  /** how many elements: indexes 0 to count - 1 */
  count: number;
  /** how many elements are there at once that have not ended; 1000 unless given */
  maxParallel?: number;
  /** more failed elements than these end the array early; never unless given */
  maxFailedIndexes?: number;
}

export interface ArraySpecInput {
  /** how many elements: indexes 0 to count - 1 */
  count: number;
  /** how many elements are there at once that have not ended; 1000 unless given */
  maxParallel?: number;
  /** more failed elements than these end the array early; never unless given */
  maxFailedIndexes?: number;
}

export interface RunStatus {
  /** where the run is in its life */
  phase: "Pending" | "Scheduled" | "Preparing" | "Running" | "Succeeded" | "Failed" | "Canceled";
  /** a stable word */
  reason?: string;
  /** a sentence; a pending run says why no node fits */
  message?: string;
  /** Scheduled, Complete, Failed */
  conditions?: Condition[];
  /** who runs it */
  nodeName?: string;
  /** how often it was bound to a node */
  attempt: number;
  /** how many of these attempts a node could not begin; spec.retry does not count them */
  refusals?: number;
  /** free disk that a node must have for the run's files, once one had not enough */
  diskNeeded?: string;
  /** the next attempt is not made before */
  retryAt?: string;
  /** when spec.deadline is over */
  deadlineAt?: string;
  /** why we are ending it on its node */
  eviction?: Eviction;
  /** whether its node kills it at once, without what is left of its grace */
  killNow?: boolean;
  /** when it was bound */
  scheduledAt?: string;
  /** when the command started */
  startedAt?: string;
  /** when it ended */
  finishedAt?: string;
  /** milliseconds per phase */
  timingsMs?: Record<string, number>;
  /** digest of the tree */
  workspaceRoot?: string;
  /** what the run sees of shared volumes */
  volumes?: MountedVolume[];
  /** version of spec.publish that holds the artifacts */
  publishedVersion?: number;
  /** path of the workspace's entry file in this API; null if it has none */
  previewUrl: string | null;
  /** effective sandbox policy */
  policy?: SandboxPolicy;
  /** of the profile, and of an element its index, of a member its rank; a Python environment and the policy add to it */
  environment?: Record<string, string>;
  /** whose token made it */
  createdBy?: string;
  /** that the run is held to */
  grants?: string[];
  /** MCP servers that an agent run has; nothing that is secret */
  toolBundle?: ToolBundleSummary;
  /** what an agent run asked for and nobody has answered */
  pendingToolUses?: PendingToolUse[];
  /** whether an agent run takes no answers any more */
  stdinClosed?: boolean;
  /** how it ended and what was enforced */
  result?: SandboxResult;
  /** what came back */
  artifacts?: Artifact[];
  /** what did not, and why */
  leftOut?: LeftOut[];
  /** of an array or a gang: how far its elements or members are */
  array?: ArrayStatus;
  /** of an element of an array or a member of a gang: whose it is */
  element?: ArrayElement;
}

export interface Condition {
  /** what the condition is about */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** a stable word for programs */
  reason?: string;
  /** a sentence for people */
  message?: string;
  /** when status last changed */
  lastTransitionTime?: string;
}

export interface Eviction {
  /** a stable word */
  reason: string;
  /** a sentence */
  message: string;
  /** when its node was to end it */
  at?: string;
}

export interface MountedVolume {
  /** of the Volume */
  name: string;
  /** of its content */
  version: number;
  /** digest of the tree */
  root: string;
}

export interface ToolBundleSummary {
  /** in their order */
  mcpServers: McpServerSummary[];
}

export interface McpServerSummary {
  /** within the run */
  id: string;
  /** stdio, sse or http */
  transport: "stdio" | "sse" | "http";
  /** for people */
  label?: string;
  /** what it was made from */
  templateId?: string;
  /** whether the run is given it */
  enabled: boolean;
  /** none or oauth */
  authMode?: "none" | "oauth";
}

export interface PendingToolUse {
  /** the id by which the answer names this tool use */
  id: string;
  /** the tool's name */
  name?: string;
}

export interface SandboxResult {
  /** the version of this shape: 2 */
  version: number;
  /** how it ended */
  status: "OK" | "FAILED" | "TIMEOUT" | "CPU_LIMIT" | "MEM_LIMIT" | "KILLED_TERM" | "KILLED_KILL" | "CANCELED" | "FORBIDDEN_SYSCALL" | "LIMIT_EXCEEDED" | "INTERNAL_ERROR";
  /** exit code as a shell would show it */
  rc: number;
  /** why it ended so, with the system's own cause */
  reason: string;
  /** TIMEOUT, CANCELLED, CAPABILITY_DENIED or LIMIT_EXCEEDED */
  errorClass?: string;
  /** E_LIMIT_MEMORY, E_CAPABILITY_DENIED, … */
  code?: string;
  /** the limit of the policy that ended it, such as memory; absent: none did */
  limit?: string;
  /** standard output, at most what the policy keeps */
  stdout: string;
  /** standard error, at most what the policy keeps */
  stderr: string;
  /** which stream was cut */
  truncated: Truncated;
  /** real time from start to reaped */
  duration_ms: number;
  /** what was run */
  cmd: string[];
  /** unique per launch */
  traceId: string;
  /** what was used */
  usage: Usage;
  /** how each limit and rule of the policy was held */
  enforced: Record<string, Enforcement>;
  /** what was refused */
  denials: Denial[];
  /** effective; absent if the request was unreadable */
  policy?: SandboxPolicy;
  /** of a run of type test: what its report counted */
  tests?: TestCounts;
  /** why nothing was started; absent: something was */
  notStarted?: NotStarted;
}

export interface Truncated {
  /** standard output was cut */
  stdout: boolean;
  /** standard error was cut */
  stderr: boolean;
}

export interface Usage {
  /** CPU time over all processes */
  cpu_ms: number;
  /** highest memory use seen by the kernel */
  peak_memory_bytes?: number;
  /** most processes at once */
  peak_pids?: number;
  /** bytes written to standard output */
  stdout_bytes: number;
  /** bytes written to standard error */
  stderr_bytes: number;
  /** what was reached over the network */
  network?: NetworkFlow[];
  /** how long accelerators were held, times their number */
  accelerator_ms?: number;
}

export interface NetworkFlow {
  /** as the policy allows it */
  name: string;
  /** of the server; 0: the name alone was looked up */
  port: number;
  /** that the name was resolved to */
  address?: string;
  /** that came about */
  connections: number;
  /** that did not, though allowed */
  failures: number;
  /** by the sandbox */
  sent_bytes: number;
  /** by the sandbox */
  received_bytes: number;
  /** why the last one that failed did: the policy allowed it, the node could not */
  problem?: string;
  /** the same as a stable word */
  reason?: string;
}

export interface Enforcement {
  /** what the policy asked for */
  requested: unknown;
  /** whether it was in force before the first instruction */
  applied: boolean;
  /** how: cgroup v2 memory.max, seccomp, … */
  mechanism: string;
  /** kernel, broker, polled, advisory or none */
  level: "kernel" | "broker" | "polled" | "advisory" | "none";
  /** what an operator needs to know */
  details?: string;
  /** why less is in force than was asked for: a stable word; absent if nothing is missing */
  reason?: string;
}

export interface Denial {
  /** what was tried */
  what: string;
  /** the object of the attempt: a file, a program, a host with its port */
  target?: string;
  /** the program that tried it */
  executable?: string;
  /** which rule refused it */
  rule: string;
  /** what would allow it */
  remedy: string;
  /** how often */
  count: number;
  /** of the command executed in the run (`paddock exec`) that tried it; absent: the run's own */
  commandId?: string;
}

export interface TestCounts {
  /** tests that were found */
  collected: number;
  /** tests that passed */
  passed: number;
  /** tests that failed or broke */
  failed: number;
  /** tests that were skipped */
  skipped: number;
}

export interface NotStarted {
  /** a stable word of docs/troubleshooting.md */
  reason: string;
  /** of the policy, such as tools[0]; absent: it is about none */
  field?: string;
  /** the sentence, without reason and field */
  message: string;
}

export interface Artifact {
  /** relative to the workspace */
  path: string;
  /** SHA-256 */
  digest: string;
  /** bytes */
  size: number;
  /** whether its owner may execute it */
  executable: boolean;
}

export interface LeftOut {
  /** relative to the workspace */
  path: string;
  /** why, as a sentence */
  rule: string;
  /** why, as a stable word */
  reason?: string;
}

export interface ArrayStatus {
  /** elements that are not made yet */
  pending: number;
  /** elements that exist and have not ended */
  active: number;
  /** elements that have succeeded */
  succeeded: number;
  /** elements that have failed */
  failed: number;
  /** elements that were canceled, or never made */
  canceled: number;
  /** elements were made for the indexes below this one; a deletion counts it down */
  created: number;
  /** elements that have succeeded, as ranges of indexes: 0-9,12 */
  completedIndexes?: string;
  /** elements that have failed, as ranges of indexes */
  failedIndexes?: string;
  /** elements that were canceled, as ranges of indexes */
  canceledIndexes?: string;
  /** the element that failed first */
  firstFailure?: FirstFailure;
}

export interface FirstFailure {
  /** the element's index */
  index: number;
  /** the element's name */
  run: string;
  /** a stable word */
  reason?: string;
  /** a sentence */
  message?: string;
  /** exit code of its command, if it had one */
  rc?: number;
}

export interface ArrayElement {
  /** name of the array */
  array: string;
  /** the array's uid */
  uid: string;
  /** the element's index, from 0 on */
  index: number;
  /** how many members of its gang are placed together; absent if it is no gang's */
  members?: number;
}

export interface RunPlan {
  /** whether it would be placed at once */
  placed: boolean;
  /** where */
  node?: string;
  /** why it would wait */
  message?: string;
  /** whether its namespace's quota is used up */
  overQuota: boolean;
  /** waiting runs of at least its priority */
  ahead: number;
  /** nodes that do not fit, by reason */
  groups?: PlanGroup[];
  /** what that node can enforce */
  enforced?: PlanEnforcement[];
  /** endings of the artifacts that would come back; empty: all */
  artifactTypes?: string[];
  /** effective sandbox policy */
  policy?: SandboxPolicy;
}

export interface PlanGroup {
  /** how many */
  nodes: number;
  /** why they do not fit */
  reason: string;
  /** what would help */
  remedy: string;
  /** they would not fit with nothing else on them either */
  tooSmall: boolean;
}

export interface PlanEnforcement {
  /** memory, network, … */
  capability: string;
  /** the node has proven it */
  available: boolean;
  /** how */
  mechanism?: string;
}

export interface PolicyQuestion {
  /** explain this run's policy; and nothing else is given */
  run?: string;
  /** or a policy on top of this profile; command */
  profile?: string;
  /** that policy, as in a run; none: the profile's */
  sandbox?: SandboxPolicy;
  /** judge by it what this run was denied; it has ended */
  against?: string;
}

export interface PolicyExplanation {
  /** that the policy stands on */
  profile: string;
  /** each value that is in force, and its origin */
  rules: PolicyRule[];
  /** of `against` */
  denials?: JudgedDenial[];
}

export interface PolicyRule {
  /** of the policy: limits.memory */
  field: string;
  /** what it allows; of variables that they are set */
  value: string;
  /** where that comes from */
  origin: "run" | "timeout" | "profile" | "default" | "derived" | "former-profile";
  /** the field or profile that says it */
  source?: string;
  /** what a run may ask for at most, and who says so */
  bound?: string;
  /** why a run that asked for it now would be refused */
  refusal?: string;
}

export interface JudgedDenial {
  /** as the run's result has it */
  denial: Denial;
  /** what becomes of it under the policy explained */
  outcome: "denied" | "allowed" | "unknown";
  /** what decides that */
  why: string;
}

export interface MediaTask {
  /** to ask the orchestrator with */
  taskId: string;
  /** as the provider said */
  status: string;
  /** when it was asked */
  startedAt?: string;
}

export interface Sandbox {
  /** identity */
  metadata: ObjectMeta;
  /** paddock.dev/v1alpha1 */
  apiVersion: string;
  /** Sandbox */
  kind: string;
  /** what was asked for */
  spec: SandboxSpec;
  /** what is */
  status: SessionStatus;
}

export interface SandboxSpec {
  /** fixed for the session's life */
  security: SecurityOptions;
  /** the session ends when nothing was asked of it for so long; 15m unless given */
  idleTimeout?: string;
  /** and so long after it was made at the latest; 8h unless given, can be changed */
  lifetime?: string;
  /** from SIGTERM to SIGKILL when a command's time is up or it is canceled; none unless given */
  terminationGrace?: string;
  /** labels of the node that it needs */
  nodeSelector?: Record<string, string>;
  /** it takes no command and no change of a file, and does not end by being idle; can be changed */
  suspended?: boolean;
}

export interface SandboxSpecInput {
  /** fixed for the session's life */
  security?: SecurityOptionsInput;
  /** the session ends when nothing was asked of it for so long; 15m unless given */
  idleTimeout?: string;
  /** and so long after it was made at the latest; 8h unless given, can be changed */
  lifetime?: string;
  /** from SIGTERM to SIGKILL when a command's time is up or it is canceled; none unless given */
  terminationGrace?: string;
  /** labels of the node that it needs */
  nodeSelector?: Record<string, string>;
  /** it takes no command and no change of a file, and does not end by being idle; can be changed */
  suspended?: boolean;
}

export interface SecurityOptions {
  /** none unless enabled, and then these domains */
  network: NetworkPolicy;
  /** folders of the node; none by default */
  hostMounts: HostMount[];
  /** programs that may be executed; core tools and python3 unless given */
  toolAllowlist?: string[];
  /** what may be used up */
  limits: SessionLimits;
  /** variables of its commands, beside those of the profile */
  env?: Record<string, string>;
}

export interface SecurityOptionsInput {
  /** none unless enabled, and then these domains */
  network?: NetworkPolicyInput;
  /** folders of the node; none by default */
  hostMounts?: HostMountInput[];
  /** programs that may be executed; core tools and python3 unless given */
  toolAllowlist?: string[];
  /** what may be used up */
  limits?: SessionLimitsInput;
  /** variables of its commands, beside those of the profile */
  env?: Record<string, string>;
}

export interface SessionLimits {
  /** real time of one command */
  timeoutMs?: number;
  /** memory of one command's processes */
  memoryBytes?: number;
  /** bytes of all files of the session */
  fsBytes?: number;
  /** files and folders of the session */
  fileCount?: number;
  /** of standard output kept */
  stdoutBytes?: number;
  /** of standard error kept */
  stderrBytes?: number;
  /** length of one command's text */
  commandBytes?: number;
  /** size of one request about this session */
  rpcBytes?: number;
}

export interface SessionLimitsInput {
  /** real time of one command */
  timeoutMs?: number;
  /** memory of one command's processes */
  memoryBytes?: number;
  /** bytes of all files of the session */
  fsBytes?: number;
  /** files and folders of the session */
  fileCount?: number;
  /** of standard output kept */
  stdoutBytes?: number;
  /** of standard error kept */
  stderrBytes?: number;
  /** length of one command's text */
  commandBytes?: number;
  /** size of one request about this session */
  rpcBytes?: number;
}

export interface SessionStatus {
  /** Pending, Ready or Ended */
  phase: "Pending" | "Ready" | "Ended";
  /** where it lives */
  nodeName?: string;
  /** why it ended */
  reason?: string;
  /** a sentence */
  message?: string;
  /** who made it */
  createdBy?: string;
  /** the end of its lifetime */
  expiresAt?: string;
  /** when its node had made it, or was well again */
  readyAt?: string;
  /** when it ended */
  endedAt?: string;
  /** Ready: whether commands can be run in it; NodeTrouble: that its node is away or has a fault */
  conditions?: Condition[];
  /** the spec of the agents.x-k8s.io Sandbox that it was made for */
  agentSandbox?: unknown;
  /** the SandboxClaim that it was made for */
  claim?: string;
}

export interface CommandRequest {
  /** text for the shell inside */
  command: string;
  /** to cancel it by, chosen by the caller; one is made unless given */
  commandId?: string;
}

export interface RunCommandRequest {
  /** argv, executed as it is: no shell, looked up in the run's PATH */
  command: string[];
  /** to cancel it by, chosen by the caller; one is made unless given */
  commandId?: string;
  /** the most that it may take: an hour, with a terminal a day; a minute unless given, with a terminal the most */
  timeoutMs?: number;
  /** what it reads as its standard input, as base64: 8 MiB at most. It reads the end of its input at once unless given */
  stdin?: string;
  /** its standard input comes while it runs, by `…/{command}/stdin`; needs a commandId, and there is no `stdin` */
  stdinComes?: boolean;
  /** it has a terminal of this size, which is its standard input, output and error: all that it writes is `stdout`, as it is */
  terminal?: TerminalSize;
}

export interface TerminalSize {
  /** 24 unless given */
  rows: number;
  /** 80 unless given */
  columns: number;
}

export interface SignalRequest {
  /** HUP, INT, TERM, USR1, USR2, WINCH or CONT */
  signal: "HUP" | "INT" | "TERM" | "USR1" | "USR2" | "WINCH" | "CONT";
}

export interface InputPiece {
  /** 1 is the first, and each is one more than the one before: one that was taken already is not taken again */
  seq: number;
  /** what it reads, as base64: 32 KiB at most */
  data?: string;
  /** nothing comes behind it: the command reads the end of its input. Not of a terminal, which reads Ctrl-D */
  end?: boolean;
  /** its terminal has this size from here on */
  terminal?: TerminalSize;
}

export interface InputTaken {
  /** the `seq` of the piece that comes next */
  next: number;
}

export interface RunResult {
  /** of this command */
  commandId: string;
  /** as a shell would show it */
  exitCode: number;
  /** at most stdoutBytes of it */
  stdout: string;
  /** at most stderrBytes of it */
  stderr: string;
  /** from start to the last process */
  executionTimeMs: number;
  /** which stream was cut; absent if none was */
  truncated?: Truncated;
  /** TIMEOUT, CANCELLED, CAPABILITY_DENIED or LIMIT_EXCEEDED */
  errorClass?: string;
  /** E_CAPABILITY_DENIED, E_LIMIT_MEMORY, … */
  code?: string;
  /** why it did not succeed */
  reason?: string;
  /** what was refused */
  denials?: Denial[];
}

export interface SessionFileList {
  /** of the folder */
  path: string;
  /** by name */
  files: SessionFile[];
}

export interface SessionFile {
  /** in its folder */
  name: string;
  /** file, folder, link or other */
  type: string;
  /** in bytes */
  size: number;
}

export interface Workspace {
  /** identity */
  metadata: ObjectMeta;
  /** paddock.dev/v1alpha1 */
  apiVersion: string;
  /** Workspace */
  kind: string;
  /** what is wanted */
  spec: WorkspaceSpec;
  /** what is stored */
  status: WorkspaceStatus;
}

export interface WorkspaceSpec {
  /** where it came from, for people */
  source?: string;
}

export interface WorkspaceSpecInput {
  /** where it came from, for people */
  source?: string;
}

export interface WorkspaceStatus {
  /** digest of the stored tree */
  root?: string;
  /** how many files it has */
  files: number;
  /** the size of all its files together */
  bytes: number;
}

export interface Tree {
  /** files */
  entries: TreeEntry[];
  /** symbolic links that stay inside */
  links?: TreeLink[];
  /** folders with nothing in them */
  folders?: TreeFolder[];
}

export interface TreeInput {
  /** files */
  entries: TreeEntryInput[];
  /** symbolic links that stay inside */
  links?: TreeLinkInput[];
  /** folders with nothing in them */
  folders?: TreeFolderInput[];
}

export interface TreeEntry {
  /** relative path */
  path: string;
  /** SHA-256 of the content */
  digest: string;
  /** bytes */
  size: number;
  /** whether the owner may execute it */
  executable: boolean;
}

export interface TreeEntryInput {
  /** relative path */
  path: string;
  /** SHA-256 of the content */
  digest: string;
  /** bytes */
  size: number;
  /** whether the owner may execute it */
  executable?: boolean;
}

export interface TreeLink {
  /** relative path */
  path: string;
  /** where it leads, relative to its own folder */
  target: string;
}

export interface TreeLinkInput {
  /** relative path */
  path: string;
  /** where it leads, relative to its own folder */
  target: string;
}

export interface TreeFolder {
  /** relative path */
  path: string;
}

export interface TreeFolderInput {
  /** relative path */
  path: string;
}

export interface TreeAnswer {
  /** digest of the whole tree */
  root: string;
  /** whether the tree is stored now */
  stored: boolean;
  /** blobs the server lacks */
  missing: string[];
  /** how blobs may be sent besides as they are: zstd; bundle, many in one request */
  compressions: string[];
}

export interface Volume {
  /** identity */
  metadata: ObjectMeta;
  /** paddock.dev/v1alpha1 */
  apiVersion: string;
  /** Volume */
  kind: string;
  /** what was published */
  status: VolumeStatus;
}

export interface VolumeStatus {
  /** those that are kept, oldest first */
  versions: VolumeVersion[];
}

export interface VolumeVersion {
  /** the number of the version, which grows by one */
  version: number;
  /** digest of the tree */
  root: string;
  /** how many files it has */
  files: number;
  /** the size of all its files together */
  bytes: number;
  /** the run that published it */
  run: string;
  /** the uid of that run */
  runUid: string;
  /** when that run ended */
  publishedAt?: string;
}

export interface Grant {
  /** identity */
  metadata: ObjectMeta;
  /** paddock.dev/v1alpha1 */
  apiVersion: string;
  /** Grant */
  kind: string;
  /** what it gives */
  spec: GrantSpec;
  /** what was used of it */
  status: GrantStatus;
}

export interface GrantSpec {
  /** callers whose runs have it without naming it */
  subjects?: string[];
  /** the grant that this one is a part of */
  parent?: string;
  /** what may be generated; nothing unless given */
  media?: MediaGrant;
  /** what a run may use; no accelerator unless given */
  compute?: ComputeGrant;
}

export interface MediaGrant {
  /** image, video, audio; all if empty */
  surfaces?: ("image" | "video" | "audio")[];
  /** models that may be used; all if empty */
  models?: string[];
  /** how many in all */
  count?: number;
}

export interface ComputeGrant {
  /** per kind the most of a run; none if empty */
  accelerators?: Accelerators[];
  /** cores of a run at most */
  cpu?: number;
  /** memory of a run at most */
  memory?: string;
  /** timeout of a run at most */
  timeout?: string;
  /** the time by which runs under the grant have ended */
  deadline?: string;
  /** what all runs of the namespace have at once; an administrator's to set */
  quota?: ComputeQuota;
}

export interface ComputeQuota {
  /** how many runs are placed at once */
  runs?: number;
  /** cores; a run that asks for none counts as one */
  cpu?: number;
  /** memory that the sandboxes of placed runs may use together */
  memory?: string;
  /** bytes that the sandboxes of placed runs may write together */
  disk?: string;
  /** devices by kind; a run that asks for any counts for every kind */
  accelerators?: DevicesOfKind[];
}

export interface DevicesOfKind {
  /** how many devices */
  count: number;
  /** nvidia, apple, or any: all together */
  kind: "nvidia" | "apple" | "any";
}

export interface GrantStatus {
  /** how many were generated */
  mediaUsed: number;
  /** what of spec.compute.quota is in use now */
  quotaUsed?: QuotaUse;
}

export interface QuotaUse {
  /** how many runs are placed now */
  runs: number;
  /** cores that placed runs count as */
  cpu: number;
  /** memory that the sandboxes of placed runs may use together */
  memory: string;
  /** bytes that the sandboxes of placed runs may write together */
  disk: string;
  /** devices of placed runs by kind */
  accelerators?: DevicesOfKind[];
}

export interface GrantQuestion {
  /** the kind of media to be generated */
  surface?: "image" | "video" | "audio";
  /** the model that is to generate media */
  model?: string;
  /** what a run asks for */
  resources?: Resources;
  /** the timeout that a run asks for */
  timeout?: string;
}

export interface GrantDecision {
  /** the answer */
  allowed: boolean;
  /** a stable word, of a refusal */
  reason?: string;
  /** a sentence */
  message?: string;
  /** every rule that was looked at */
  checks: GrantCheck[];
}

export interface GrantCheck {
  /** the grant that was looked at */
  grant: string;
  /** the rule of that grant */
  rule: string;
  /** what was asked for */
  asked: string;
  /** what the rule gives */
  given: string;
  /** whether that is enough */
  allowed: boolean;
}

export interface ToolToken {
  /** identity */
  metadata: ObjectMeta;
  /** what it is good for */
  spec: ToolTokenSpec;
  /** paddock.dev/v1alpha1 */
  apiVersion: string;
  /** ToolToken */
  kind: string;
  /** whether it still is */
  status: ToolTokenStatus;
}

export interface ToolTokenSpec {
  /** name of the run that it belongs to */
  run: string;
  /** run:read, media:generate, … */
  operations: string[];
  /** subresources of the run that it opens; unless given, all that its operations need */
  endpoints?: string[];
  /** 15m unless given; 24h at most */
  ttl?: string;
  /** end it when a stream of the run's events ends */
  revokeOnStreamEnd: boolean;
}

export interface ToolTokenStatus {
  /** Active, Expired or Revoked */
  phase: "Active" | "Expired" | "Revoked";
  /** the run's uid */
  runUid?: string;
  /** of the run in whose environment it is; 0 for others */
  attempt: number;
  /** the tool token that made it */
  parent?: string;
  /** when it was made */
  issuedAt?: string;
  /** when it ends by itself */
  expiresAt?: string;
  /** when it was ended */
  revokedAt?: string;
  /** why it ended: child_exit, sse_end, ttl_expired or manual */
  reason?: "child_exit" | "sse_end" | "ttl_expired" | "manual";
  /** the secret: shown once, in the answer that creates it */
  token?: string;
}

export interface Secret {
  /** identity */
  metadata: ObjectMeta;
  /** paddock.dev/v1alpha1 */
  apiVersion: string;
  /** Secret */
  kind: string;
  /** for people and tools; Paddock makes nothing of it */
  type?: string;
  /** values by name, in base64; shown as ***, which in a change keeps the value */
  data?: Record<string, string>;
  /** values by name, as text, on top of data; never shown */
  stringData?: Record<string, string>;
  /** true: its values never change again, nor does this; delete it and make another */
  immutable?: boolean;
  /** what there is */
  status: SecretStatus;
}

export interface SecretStatus {
  /** names and sizes of the values */
  values: SecretValueSize[];
  /** the subject whose token made the Secret */
  createdBy?: string;
}

export interface SecretValueSize {
  /** the value's name */
  name: string;
  /** the value's size */
  bytes: number;
  /** the subject whose token sent the value */
  sentBy?: string;
}

export interface SecretKeyRotation {
  /** of the key that is in use now; no part of it */
  keyId: string;
  /** how many were sealed anew */
  values: number;
}

export interface ReceiptEnvelope {
  /** the in-toto statement, as base64 */
  payload: string;
  /** application/vnd.in-toto+json */
  payloadType: string;
  /** of type and payload together */
  signatures: EnvelopeSignature[];
}

export interface EnvelopeSignature {
  /** Ed25519, as base64 */
  sig: string;
  /** SHA-256 of the public key's DER, in hexadecimal */
  keyid: string;
}

export interface ReceiptKeyList {
  /** the one that signs, then the former ones */
  items: ReceiptKey[];
}

export interface ReceiptKey {
  /** what signatures call it */
  keyId: string;
  /** PEM */
  publicKey: string;
  /** whether it signs now; others did before */
  current: boolean;
}

export interface Node {
  /** identity */
  metadata: ObjectMeta;
  /** paddock.dev/v1alpha1 */
  apiVersion: string;
  /** Node */
  kind: string;
  /** what the operator wants */
  spec: NodeSpec;
  /** what the agent reports */
  status: NodeStatus;
}

export interface NodeSpec {
  /** cordoned: gets nothing new */
  unschedulable: boolean;
  /** gets only runs that tolerate them */
  taints?: Taint[];
  /** being emptied */
  drain?: Drain;
}

export interface Taint {
  /** what it is about */
  key: string;
  /** of the key */
  value?: string;
  /** NoSchedule: nothing new that does not tolerate it */
  effect: string;
}

export interface Drain {
  /** when it was asked for */
  requestedAt: string;
  /** what still runs then is ended */
  evictAt: string;
}

export interface NodeStatus {
  /** holds a lease */
  ready: boolean;
  /** LEASE_EXPIRED, NODE_LOST, AGENT_STOPPED */
  reason?: string;
  /** why not */
  message?: string;
  /** what the host has */
  capacity: Capacity;
  /** bytes of disk that its runs may ask for together: what is free beyond minFree, and what they have written of what they asked for */
  allocatableDisk?: string;
  /** Ready: whether it holds a lease and can begin runs; DiskPressure: whether its disk is too full for them; HostFault: whether it can begin none */
  conditions?: Condition[];
  /** what the controller makes of runs that it could not begin, until one begins */
  coolDown?: CoolDown;
  /** instructions that programs are built for, as the kernel names them, sorted */
  cpuFeatures?: string[];
  /** accelerators */
  devices: Device[];
  /** what the sandbox can enforce here, proven at start */
  capabilities: Capability[];
  /** forbidden things that were tried inside; a run that needs one which failed goes elsewhere */
  canaries?: Canary[];
  /** what its operator lets a policy ask for */
  ceilings?: Ceilings;
  /** the most that a policy may ask for of what its operator named no ceiling for */
  largestLimits: SandboxLimits;
  /** sandbox sessions at once; 0: it takes none */
  maxSessions: number;
  /** version of the agent */
  agentVersion?: string;
  /** of what the agent and the controller say to each other, as the agent speaks it */
  protocolVersion?: number;
  /** linux or darwin */
  os?: string;
  /** amd64 or arm64 */
  arch?: string;
  /** last heartbeat */
  lastSeen?: string;
  /** when its host goes away: it gets only runs that end before; absent: it stays */
  endsAt?: string;
}

export interface Capacity {
  /** cores */
  cpu: number;
  /** bytes */
  memory: string;
  /** free bytes for workspaces */
  disk: string;
  /** runs at once */
  maxRuns: number;
}

export interface CoolDown {
  /** it gets no new runs before; absent: it has rested */
  until?: string;
  /** when it failed last */
  lastAt?: string;
  /** how often in a row it could begin no run */
  failures: number;
  /** of that */
  reason?: string;
  /** of that */
  message?: string;
}

export interface Device {
  /** nvidia or apple */
  kind: string;
  /** stable on its node */
  id: string;
  /** for people */
  model?: string;
  /** bytes, where the driver says */
  memory?: string;
  /** why no run gets it; absent while it is well */
  fault?: string;
}

export interface Capability {
  /** memory, pids, network, … */
  name: string;
  /** proven at start */
  available: boolean;
  /** how it is enforced here */
  mechanism?: string;
  /** why not, and what would help */
  details?: string;
  /** why there is less of it than elsewhere: a stable word; absent if nothing is missing */
  reason?: string;
}

export interface Canary {
  /** which canary */
  name: string;
  /** what it proves: an entry of `enforced` */
  capability: string;
  /** what was tried inside */
  attempt: string;
  /** what the kernel should answer */
  expected: string;
  /** what it answered */
  got: string;
  /** whether the attempt was stopped */
  passed: boolean;
  /** kernel, broker, polled, advisory or none */
  level: "kernel" | "broker" | "polled" | "advisory" | "none";
  /** the line that would fix or strengthen this host */
  remedy?: string;
}

export interface Ceilings {
  /** largest limits; those left out follow from what hosts have */
  limits: SandboxLimits;
  /** whether a policy may allow domains */
  network: boolean;
  /** folders of the host that a policy may mount, with all below */
  hostMounts: string[];
  /** devices that a policy may name */
  devices: string[];
  /** longest time between SIGTERM and SIGKILL that a run may ask for */
  terminationGrace?: string;
}

export interface ExecuteRequest {
  /** the program */
  code: string;
  /** python */
  language: string;
  /** 1 to 60, 30 unless given */
  timeout_seconds?: number;
  /** 64 to 512, 256 unless given */
  memory_mb?: number;
  /** an object, which the program finds as `input_data` */
  input_data: unknown;
}

export interface ExecuteRequestInput {
  /** the program */
  code: string;
  /** python */
  language?: string;
  /** 1 to 60, 30 unless given */
  timeout_seconds?: number;
  /** 64 to 512, 256 unless given */
  memory_mb?: number;
  /** an object, which the program finds as `input_data` */
  input_data?: unknown;
}

export interface ExecuteAnswer {
  /** the program ended with exit code 0 */
  success: boolean;
  /** what the code printed on its standard output */
  stdout: string;
  /** what the code printed on its standard error */
  stderr: string;
  /** the program's; -1 where none ended */
  exit_code: number;
  /** from the request's arrival on the node to the end of its last process */
  execution_time_ms: number;
  /** null, or why it did not succeed */
  error: string | null;
  /** null, or everything that the validator refused */
  validation_errors: string[] | null;
}

export interface AuditList {
  /** paddock.dev/v1alpha1 */
  apiVersion: string;
  /** AuditEventList */
  kind: string;
  /** oldest first */
  items: AuditEvent[];
  /** id to go on after */
  last: number;
}

export interface AuditEvent {
  /** grows with every event */
  id: number;
  /** the controller's clock */
  time: string;
  /** a stable word */
  type: string;
  /** who did it */
  subject?: string;
  /** the namespace in which it was done */
  namespace?: string;
  /** the object to which it was done: plural/name */
  object?: string;
  /** uid of run or session */
  session_id?: string;
  /** uid/attempt or uid/command */
  command_id?: string;
  /** a stable word */
  reason?: string;
  /** the id of the API request */
  request_id?: string;
  /** further facts, which depend on the type */
  details?: Record<string, string>;
}

export interface AuditChainPage {
  /** the newest record that was forgotten when its time was over; id 0: none was */
  anchor: ChainPlace;
  /** oldest first; none: there are no more */
  items: ChainedRecord[];
  /** the highest id that was ever given out */
  lastGiven: number;
}

export interface ChainPlace {
  /** the record's id; 0: before the first one */
  id: number;
  /** its link, in hexadecimal */
  hash: string;
}

export interface ChainedRecord {
  /** the event's id */
  id: number;
  /** SHA-256 of `paddock audit 1`, the hash before it, the id and the record, a line each */
  hash: string;
  /** the event's JSON, byte for byte as it is stored */
  record: string;
  /** searches do not find it by what it says: the store's columns were changed */
  misfiled?: boolean;
}

export interface AccessTokenRequest {
  /** who it is for, as audit log and grants name it: letters, digits and -._@ */
  subject: string;
  /** what it may do, such as runs:write; * is all */
  scopes: string[];
  /** the only one it is good for; all unless given */
  namespace?: string;
  /** 2160h unless given; from 1m to 87840h */
  ttl: string;
}

export interface AccessTokenList {
  /** by id */
  items: AccessToken[];
}

export interface AccessToken {
  /** names it in the audit log, and to revoke it */
  id: string;
  /** who it is for */
  subject: string;
  /** what it may do */
  scopes: string[];
  /** the only one it is good for; all unless given */
  namespace?: string;
  /** when its time is over; never unless given */
  expiresAt?: string;
  /** the secret, shown when it is made and never again */
  token?: string;
}
