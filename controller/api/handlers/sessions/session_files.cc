#include "common/base/text.h"
#include "controller/api/handlers/sessions/sandboxes.h"
#include "controller/api/handlers/sessions/session_access.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/base/decoded_size.h"
#include "controller/calls/call_errors.h"
#include "controller/sessions/life.h"

namespace paddock::api {
namespace {

using contracts::FileAnswer;
using contracts::FileOperation;
using contracts::FileOrder;
using contracts::Sandbox;

constexpr Millis kFileTime{30'000};

// Whether it is not known what became of the files. What is refused has changed nothing.
bool leaves_doubt(const Error& error) {
  if (is_one_of(error.reason, {"NO_NODE", "SESSION_ENDED"})) return false;
  return error.code == Code::kUnavailable || error.code == Code::kDeadlineExceeded ||
         error.code == Code::kInternal;
}

// Written down once the node has answered, or will not any more: then the reason says why not.
Status note_change(Call& call, const Sandbox& session, const FileOrder& order,
                   const Result<FileAnswer>& answer) {
  if (!answer.ok() && !leaves_doubt(answer.error())) return {};
  const bool writes = order.operation == FileOperation::kWrite;
  const std::string_view type =
      writes ? contracts::audit::kFileWrite : contracts::audit::kFileRemove;
  const std::string_view reason = answer.ok() ? std::string_view() : answer.error().reason.text();
  std::map<std::string, std::string> details;
  details["path"] = contracts::audit_text(cat(order.path, order.folder ? "/" : ""));
  if (writes && !order.folder) details["bytes"] = std::to_string(decoded_size(order.data));
  TRY(note_session(
      call.services, session,
      {event_of(call, type, "sandboxes", session.metadata, std::move(details), reason)}));
  return {};
}

Result<FileAnswer> understand(const Result<wire::Value>& answer) {
  if (!answer.ok()) return answer.error();
  auto read = wire::decode<FileAnswer>(*answer);
  if (!read.ok()) return calls::not_understood();
  return read;
}

Result<FileAnswer> ask(Call& call, Sandbox& session, FileOrder order) {
  TRY(open_session(call.services, session, call.principal));
  TRY(call.services.later->check(call.services.store));
  TRY(note_session(call.services, session, {}));
  order.uid = session.metadata.uid;
  order.path = call.param("path");
  calls::CallOptions options;
  options.caller = call.principal.subject;
  options.name_space = call.principal.name_space;
  options.kind = contracts::kSessionFile;
  options.bytes = order.data.size();
  options.payload = wire::encode(order);
  options.patience = kFileTime;
  options.client = call.request.client;
  const Result<FileAnswer> answer =
      understand(call_session(call.services, session, std::move(options)));
  if (order.operation != FileOperation::kRead) TRY(note_change(call, session, order, answer));
  return answer;
}

}  // namespace

Result<Response> read_session_file(Call& call) {
  ASSIGN_OR_RETURN(Sandbox session, live_session(call));
  FileOrder order;
  order.most = contracts::kMostRpcBytes;
  ASSIGN_OR_RETURN(FileAnswer answer, ask(call, session, std::move(order)));
  if (answer.folder)
    return object_response(contracts::SessionFileList{call.param("path"), std::move(answer.files)});
  auto bytes = decode_base64(answer.data);
  if (!bytes) return calls::not_understood();
  return untrusted_response(std::move(*bytes));
}

Result<Response> write_session_file(Call& call) {
  ASSIGN_OR_RETURN(Sandbox session, live_session(call));
  TRY(sessions::check_not_suspended(session));
  ASSIGN_OR_RETURN(const std::string bytes, read_session_body(call, session));
  FileOrder order;
  order.operation = FileOperation::kWrite;
  ASSIGN_OR_RETURN(order.folder, flag_parameter(call.request, "folder"));
  order.data = base64(bytes);
  ASSIGN_OR_RETURN(const FileAnswer answer, ask(call, session, std::move(order)));
  return json_response(wire::Value::Object{{"path", call.param("path")}, {"size", bytes.size()}},
                       201);
}

Result<Response> remove_session_file(Call& call) {
  ASSIGN_OR_RETURN(Sandbox session, live_session(call));
  TRY(sessions::check_not_suspended(session));
  FileOrder order;
  order.operation = FileOperation::kRemove;
  ASSIGN_OR_RETURN(const FileAnswer answer, ask(call, session, std::move(order)));
  return json_response(wire::Value::Object{{"path", call.param("path")}, {"removed", true}});
}

}  // namespace paddock::api
