// Paddock from TypeScript and JavaScript: runs, sessions, workspaces and short code by a controller's API.
export type { AttachedCommand } from "./attached.js";
export { Client, type ClientOptions, type ExecuteOptions } from "./client.js";
export type { CommandEvent } from "./commands.js";
export { CommandTimedOut, PaddockError, type Cause } from "./errors.js";
export type { Reason } from "./reasons.js";
export type { FollowOptions, RunEvent } from "./events.js";
export type { CallOptions } from "./http.js";
export type { CreateOptions, ExecOptions, ExecStreamOptions, LogOptions, Runs, WaitOptions } from "./runs.js";
export type { CommandOptions, Files as SessionFiles, SandboxOptions, Sandboxes, Session } from "./sandboxes.js";
export type * from "./types.js";
export type { Contents, Entry, File, Files, StayedBehind, UploadedWorkspace, Workspaces } from "./workspaces.js";
