// What happened, for the people who have to answer for it: one record per event, in the order of
// the controller's commits. Types and fields are stable. Text that came from a run or a caller
// stands in a field of its own, cut at kAuditText, and nowhere else.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

namespace audit {
// A command of a run or a session. After `command.start` exactly one of the others follows.
inline constexpr std::string_view kCommandStart = "command.start";
inline constexpr std::string_view kCommandComplete = "command.complete";
inline constexpr std::string_view kCommandTimeout = "command.timeout";
inline constexpr std::string_view kCommandCancelled = "command.cancelled";
inline constexpr std::string_view kCommandLost = "command.lost";        // nobody will ever report
inline constexpr std::string_view kCommandRefused = "command.refused";  // it never started
// What its sandbox stopped; before the record of its end.
inline constexpr std::string_view kCapabilityDenied = "capability.denied";
inline constexpr std::string_view kLimitExceeded = "limit.exceeded";
// A session came and went; the reason of an end says whose doing it was.
inline constexpr std::string_view kSandboxCreate = "sandbox.create";
inline constexpr std::string_view kSandboxDestroy = "sandbox.destroy";
// What callers did, and what they were refused.
inline constexpr std::string_view kObjectCreate = "object.create";
inline constexpr std::string_view kObjectUpdate = "object.update";
inline constexpr std::string_view kObjectDelete = "object.delete";
// Files: of a workspace a whole tree at once, of a session one by one, of a volume a version.
inline constexpr std::string_view kWorkspaceWrite = "workspace.write";
inline constexpr std::string_view kFileWrite = "file.write";
inline constexpr std::string_view kFileRemove = "file.remove";
inline constexpr std::string_view kVolumePublish = "volume.publish";
inline constexpr std::string_view kRunCancel = "run.cancel";
inline constexpr std::string_view kRunSignal = "run.signal";  // is about to be sent
inline constexpr std::string_view kToolResult = "tool.result";
inline constexpr std::string_view kExecuteRequest = "execute.request";  // code, answered at once
inline constexpr std::string_view kMediaGenerate = "media.generate";    // a provider is being asked
inline constexpr std::string_view kMediaFailed = "media.failed";        // and it did not make it
inline constexpr std::string_view kNodeToken = "node.token";  // an enrolment token was made
inline constexpr std::string_view kNodeEnroll = "node.enroll";
inline constexpr std::string_view kNodeRotate = "node.rotate";  // a node has a new credential
inline constexpr std::string_view kNodeRevoke = "node.revoke";  // and its older one ends
inline constexpr std::string_view kNodeLeave = "node.leave";
inline constexpr std::string_view kNodeCordon = "node.cordon";
inline constexpr std::string_view kNodeUncordon = "node.uncordon";
inline constexpr std::string_view kNodeDrain = "node.drain";
inline constexpr std::string_view kNodeTaint = "node.taint";
inline constexpr std::string_view kBackupCreate = "backup.create";
inline constexpr std::string_view kSecretKeyRotate = "secretkey.rotate";
inline constexpr std::string_view kReceiptKeyRotate = "receiptkey.rotate";
inline constexpr std::string_view kTokenCreate = "token.create";  // for a person or a program
inline constexpr std::string_view kTokenRevoke = "token.revoke";
inline constexpr std::string_view kAccessDenied = "access.denied";
// All of them: no event has another type.
inline constexpr std::array kTypes = {
    kCommandStart,   kCommandComplete,  kCommandTimeout, kCommandCancelled, kCommandLost,
    kCommandRefused, kCapabilityDenied, kLimitExceeded,  kSandboxCreate,    kSandboxDestroy,
    kObjectCreate,   kObjectUpdate,     kObjectDelete,   kWorkspaceWrite,   kFileWrite,
    kFileRemove,     kVolumePublish,    kRunCancel,      kRunSignal,        kToolResult,
    kExecuteRequest, kMediaGenerate,    kMediaFailed,    kNodeToken,        kNodeEnroll,
    kNodeRotate,     kNodeRevoke,       kNodeLeave,      kNodeCordon,       kNodeUncordon,
    kNodeDrain,      kNodeTaint,        kBackupCreate,   kSecretKeyRotate,  kReceiptKeyRotate,
    kTokenCreate,    kTokenRevoke,      kAccessDenied};
}  // namespace audit

inline constexpr size_t kAuditText = 1024;  // bytes of one detail

struct AuditEvent {
  int64_t id = 0;  // grows with every event
  wire::Timestamp time;
  std::string type;
  std::string subject;     // who did it: a token's subject, or node:NAME for what a run did there
  std::string name_space;  // empty: the cluster
  std::string object;      // runs/hello
  std::string session_id;  // uid of the run or session
  std::string command_id;  // <uid>/<attempt>, in a session <uid>/<command>
  std::string reason;      // a stable word
  std::string request_id;  // of the API call, as in X-Request-Id and the controller's log
  std::map<std::string, std::string> details;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("id", &AuditEvent::id, "grows with every event"),
        field("time", &AuditEvent::time, "the controller's clock"),
        field("type", &AuditEvent::type, "a stable word"),
        field("subject", &AuditEvent::subject, "who did it", {.omit_empty = true}),
        field("namespace", &AuditEvent::name_space, "the namespace in which it was done",
              {.omit_empty = true}),
        field("object", &AuditEvent::object, "the object to which it was done: plural/name",
              {.omit_empty = true}),
        field("session_id", &AuditEvent::session_id, "uid of run or session", {.omit_empty = true}),
        field("command_id", &AuditEvent::command_id, "uid/attempt or uid/command",
              {.omit_empty = true}),
        field("reason", &AuditEvent::reason, "a stable word", {.omit_empty = true}),
        field("request_id", &AuditEvent::request_id, "the id of the API request",
              {.omit_empty = true}),
        field("details", &AuditEvent::details, "further facts, which depend on the type",
              {.omit_empty = true}));
  }
};

struct AuditList {
  std::string api_version = kApiVersion;
  std::string kind = "AuditEventList";
  std::vector<AuditEvent> items;
  int64_t last = 0;  // ask again with after=<last>
  static constexpr auto describe(auto&& visit) {
    return visit(field("apiVersion", &AuditList::api_version, "paddock.dev/v1alpha1"),
                 field("kind", &AuditList::kind, "AuditEventList"),
                 field("items", &AuditList::items, "oldest first"),
                 field("last", &AuditList::last, "id to go on after"));
  }
};

// PARAMETER_INVALID for a type that no event has, with all types, the nearest first: an empty list
// would sound as if nothing of that type had happened.
Status check_audit_type(std::string_view type);
// At most kAuditText bytes of valid UTF-8.
std::string audit_text(std::string_view bytes);

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::AuditEvent);
PADDOCK_EXTERN_CODEC(paddock::contracts::AuditList);
