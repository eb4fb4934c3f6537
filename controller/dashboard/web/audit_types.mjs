// Every type of event that the audit log has, in the order of docs/audit.md. Pure.
export const TYPES = ["command.start", "command.complete", "command.timeout", "command.cancelled", "command.lost", "command.refused",
  "capability.denied", "limit.exceeded", "sandbox.create", "sandbox.destroy", "execute.request", "object.create", "object.update",
  "object.delete", "workspace.write", "file.write", "file.remove", "volume.publish", "run.cancel", "run.signal", "tool.result", "media.generate",
  "media.failed", "node.token", "node.enroll", "node.rotate",
  "node.revoke", "node.leave", "node.cordon", "node.uncordon", "node.drain", "node.taint", "receiptkey.rotate",
  "secretkey.rotate", "backup.create", "token.create", "token.revoke", "access.denied"];
