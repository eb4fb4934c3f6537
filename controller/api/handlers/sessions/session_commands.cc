#include <memory>

#include "controller/api/handlers/sessions/sandboxes.h"
#include "controller/api/handlers/sessions/session_access.h"
#include "controller/api/metrics/metrics.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/bearer.h"
#include "controller/api/server/command_outcome.h"
#include "controller/api/server/command_stream.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/calls/relay.h"
#include "controller/runs/audit_events.h"
#include "controller/runs/measures.h"
#include "controller/sessions/life.h"
#include "controller/sessions/under_way.h"

namespace paddock::api {
namespace {

using contracts::RunResult;
using contracts::Sandbox;
namespace audit = contracts::audit;

constexpr Millis kCommandAnswerTime{30'000};  // beside what the command may take
constexpr Millis kCommandQueueTime{20'000};

// One command, apart from the request that asked for it: a stream outlives its handler.
struct Command {
  Services& services;
  Sandbox session;
  contracts::CommandRequest request;
  auth::Principal caller;
  std::string request_id;
  Bearer bearer;
  bool stream = false;
  std::unique_ptr<sessions::UnderWay::Command> under_way = {};  // from its begin to its end
};

// How long the command may take.
Millis limit_of(const Command& command) {
  const auto& limit = command.session.spec.security.limits.timeout_ms;
  return Millis(limit.value_or(contracts::session_defaults::kTimeoutMs));
}

// The same with its grace.
Millis time_of(const Command& command) {
  const auto& grace = command.session.spec.termination_grace;
  return limit_of(command) + (grace ? grace->value : Millis(0));
}

contracts::AuditEvent event_of(const Command& command, std::string_view type) {
  auto event = sessions::command_event(command.session, command.request.command_id,
                                       command.services.clock.wall());
  event.type = type;
  event.subject = command.caller.subject;
  event.request_id = command.request_id;
  return event;
}

// Records that the command starts. If the store takes no writes, its error is returned and no
// command begins: one that is not recorded must not run.
Result<uint64_t> note_start(Command& command) {
  TRY(sessions::check_lives(command.session));
  TRY(command.services.later->check(command.services.store));
  command.under_way = command.services.under_way->begin(
      command.session.metadata.uid, command.services.clock.wall() + time_of(command));
  auto start = event_of(command, audit::kCommandStart);
  start.details["command"] = contracts::audit_text(command.request.command);
  return note_session(command.services, command.session, {std::move(start)});
}

Status note_end(const Command& command, std::vector<contracts::AuditEvent> events) {
  if (command.under_way) command.under_way->end();
  TRY(note_session(command.services, command.session, std::move(events)));
  return {};
}

// Records a command that brought no result: it was canceled before it began, or nobody waited for
// it, or it is lost.
Status note_loss(const Command& command, const Error& error) {
  auto event =
      event_of(command, event_without_result(error, {"CALL_EXISTS", "E_LIMIT_FILES", "E_LIMIT_FS",
                                                     "NO_NODE", "NODES_BUSY", "SESSION_ENDED",
                                                     "TOO_MANY_CALLS", "TOO_MANY_COMMANDS",
                                                     "TOO_MANY_OPEN_REQUESTS", "TREE_TOO_DEEP"}));
  event.reason = error.reason;
  return note_end(command, {std::move(event)});
}

Result<RunResult> conclude(const Command& command, const Result<wire::Value>& answer) {
  const auto ended = [&](const contracts::SandboxResult& result) {
    command.services.metrics.runs.count_denials(runs::denial_counts(result));
    return note_end(command, runs::end_events(event_of(command, ""), result));
  };
  const auto lost = [&](const Error& error) { return note_loss(command, error); };
  auto result = conclude_command(answer, command.request.command_id, {ended, lost});
  if (result.ok()) {
    name_time(*result, cat("the session's limits.timeoutMs is ", limit_of(command).count(),
                           "; a new session may have more"));
    return result;
  }
  if (auto fault = told_fault(command.services, command.session, result.error()))
    return std::move(*fault);
  return explain_command(result.error(), "session");
}

std::string name_of_call(const Command& command) {
  return cat(command.session.metadata.uid, "/", command.request.command_id);
}

Result<RunResult> ask_node(const Command& command, const DisconnectToken& client,
                           const OnPiece& on_piece, const std::function<void()>& meanwhile) {
  calls::CallOptions options;
  options.name = name_of_call(command);
  options.caller = command.caller.subject;
  options.name_space = command.caller.name_space;
  options.token = command.bearer.token_id;
  options.kind = contracts::kSessionRun;
  options.patience = time_of(command) + kCommandAnswerTime;
  options.queue_patience = kCommandQueueTime;
  options.bytes = command.request.command.size();
  options.payload = wire::encode(contracts::CommandOrder{command.session.metadata.uid,
                                                         command.request.command, command.stream});
  options.client = client;
  options.on_piece = on_piece;
  options.meanwhile = meanwhile;
  const auto answer = call_session(command.services, command.session, std::move(options));
  return conclude(command, answer);
}

// The record of its start is written while the command starts, and is stored before anybody hears
// of its end. From `on_start` on it can be canceled.
Result<RunResult> carry_out(Command& command, const DisconnectToken& client,
                            const OnPiece& on_piece, const OnStart& on_start = {}) {
  TRY(open_session(command.services, command.session, command.caller));
  ASSIGN_OR_RETURN(const uint64_t start, note_start(command));
  const auto settle = [&] { return command.services.later->settle(command.services.store, start); };
  auto result = ask_node(command, client, on_piece, [&] {
    if (on_start) on_start();
    if (!settle().ok() || !may_go_on(command.services, command.bearer))
      (void)command.services.calls->stop(name_of_call(command));
  });
  if (const Status recorded = settle(); !recorded) return unrecorded(recorded.error());
  return result;
}

Response streamed(Command command) {
  auto shared = std::make_shared<Command>(std::move(command));
  return stream_command(
      shared->request.command_id,
      [shared](const DisconnectToken& client, const OnPiece& on_piece, const OnStart& on_start) {
        return carry_out(*shared, client, on_piece, on_start);
      });
}

// Refused by its length: it is told of like any other limit, and not while nothing can be recorded.
Result<RunResult> refuse_length(const Command& command, int64_t most) {
  TRY(command.services.later->check(command.services.store));
  auto event = event_of(command, audit::kLimitExceeded);
  event.reason = Reason("E_LIMIT_COMMAND");
  event.details["limit"] = "command";
  TRY(note_end(command, {std::move(event)}));
  return contracts::too_large_command(command.request.command_id, most);
}

// Streams this result like that of a command that ran, so that readers of events need no other
// case.
Response streamed(const RunResult& result) {
  return stream_command(
      result.command_id, [result](const DisconnectToken&, const OnPiece& on_piece, const OnStart&) {
        on_piece(wire::encode(contracts::CommandPiece{"stderr", base64(result.err)}));
        return Result<RunResult>(result);
      });
}

}  // namespace

Result<Response> run_session_command(Call& call) {
  ASSIGN_OR_RETURN(Sandbox session, live_session(call));
  TRY(sessions::check_not_suspended(session));
  ASSIGN_OR_RETURN(const std::string bytes, read_session_body(call, session));
  ASSIGN_OR_RETURN(const wire::Value document,
                   parse_document(call.request.header("content-type"), bytes, bytes.size()));
  ASSIGN_OR_RETURN(auto request, decode_body<contracts::CommandRequest>(document));
  if (request.command_id.empty()) request.command_id = make_uuid(call.services.random);
  const auto most = session.spec.security.limits.command_bytes.value_or(
      contracts::session_defaults::kCommandBytes);
  ASSIGN_OR_RETURN(const bool stream, flag_parameter(call.request, "stream"));
  ASSIGN_OR_RETURN(Bearer bearer, bearer_of(call));
  Command command{call.services,  std::move(session), std::move(request),
                  call.principal, call.request_id,    std::move(bearer),
                  stream};
  if (command.request.command.size() > static_cast<size_t>(most)) {
    ASSIGN_OR_RETURN(const RunResult refused, refuse_length(command, most));
    return command.stream ? streamed(refused) : object_response(refused);
  }
  if (command.stream) return streamed(std::move(command));
  ASSIGN_OR_RETURN(const RunResult result, carry_out(command, call.request.client, {}));
  return object_response(result);
}

Result<Response> cancel_session_command(Call& call) {
  ASSIGN_OR_RETURN(const Sandbox session, live_session(call));
  const Status stopped =
      call.services.calls->stop(cat(session.metadata.uid, "/", call.param("command")));
  if (!stopped.ok())
    return Error{Code::kNotFound, "COMMAND_NOT_FOUND",
                 "no such command is under way in this session"};
  return json_response(
      wire::Value::Object{{"commandId", call.param("command")}, {"canceling", true}}, 202);
}

}  // namespace paddock::api
