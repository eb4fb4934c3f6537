#include "controller/api/handlers/runs/run_commands.h"

#include <memory>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/run_exec.h"
#include "common/contracts/sandbox.h"
#include "controller/api/handlers/runs/run_files.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/metrics/metrics.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/command_outcome.h"
#include "controller/api/server/command_stream.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/base/decoded_size.h"
#include "controller/calls/relay.h"
#include "controller/runs/audit_events.h"
#include "controller/runs/measures.h"

namespace paddock::api {
namespace {

using contracts::Run;
using contracts::RunResult;
namespace audit = contracts::audit;

constexpr Millis kAnswerTime{60'000};  // beside what the command may take: before and after it
constexpr Millis kQueueTime{30'000};   // others' input may be on its way to the node before it
constexpr size_t kMostAttached = 32;   // of one caller on a node, of a namespace 48: it takes 64

contracts::AuditEvent event_now(const RunCommand& command, std::string_view type) {
  contracts::AuditEvent event = command.event;
  event.type = type;
  event.time = {command.services.clock.wall()};
  return event;
}

Result<uint64_t> note(const RunCommand& command, std::vector<contracts::AuditEvent> events) {
  return command.services.later->add(command.services.store,
                                     WriteBehindQueue::audit(std::move(events)));
}

// Records that the command starts. If the store takes no writes, its error is returned and no
// command begins: one that is not recorded must not run.
Result<uint64_t> note_start(const RunCommand& command) {
  TRY(command.services.later->check(command.services.store));
  auto start = event_now(command, audit::kCommandStart);
  start.details["command"] = contracts::audit_text(join(command.request.command, " "));
  if (command.request.terminal) start.details["terminal"] = "true";
  return note(command, {std::move(start)});
}

// Records a command that brought no result: it was canceled before it began, or refused, or it is
// lost.
Status note_loss(const RunCommand& command, const Error& error) {
  auto event = event_now(
      command,
      event_without_result(
          error, {"CALL_EXISTS", "NO_NODE", "NODES_BUSY", "RUN_NOT_RUNNING", "CALL_UNKNOWN",
                  "RUN_EXEC_UNSUPPORTED", "TOO_MANY_CALLS", "TOO_MANY_COMMANDS"}));
  event.reason = error.reason;
  TRY(note(command, {std::move(event)}));
  return {};
}

Error explained(const Error& error) {
  if (error.reason != "CALL_UNKNOWN") return explain_command(error, "run");
  return {Code::kFailedPrecondition, "RUN_EXEC_UNSUPPORTED",
          "the agent of the run's node is of an earlier release, which executes no commands in "
          "runs, or none with a terminal or with input that comes: upgrade it to this "
          "controller's release"};
}

Status note_end(const RunCommand& command, const contracts::SandboxResult& result) {
  command.services.metrics.runs.count_denials(runs::denial_counts(result));
  TRY(note(command, runs::end_events(event_now(command, ""), result)));
  return {};
}

Result<RunResult> conclude(const RunCommand& command, const Result<wire::Value>& answer) {
  auto result = conclude_command(answer, command.request.command_id,
                                 {[&](const auto& ended) { return note_end(command, ended); },
                                  [&](const Error& error) { return note_loss(command, error); }});
  if (!result.ok()) return explained(result.error());
  name_time(*result, cat("timeoutMs was ", command.request.time_ms(), " and may be raised"));
  return result;
}

// The input goes with it, and is kept nowhere else.
calls::CallOptions options_of(RunCommand& command) {
  contracts::ExecOrder order;
  order.run_uid = command.run.metadata.uid;
  order.command_id = command.request.command_id;
  order.command = command.request.command;
  order.time_ms = command.request.time_ms();
  order.stream = command.stream;
  order.input_comes = command.request.input_comes;
  order.terminal = command.request.terminal;
  order.input = std::exchange(command.request.input, {});
  calls::CallOptions options;
  options.name = name_of_command(command.run, command.request.command_id);
  options.caller = command.caller;
  options.node = command.run.status.node_name;
  options.arrival_patience = command.services.node_patience;
  options.name_space = command.name_space;
  options.token = command.bearer.token_id;
  const bool attached = order.input_comes || order.terminal;
  options.kind = attached ? contracts::kRunAttach : contracts::kRunExec;
  options.most_alike = attached ? kMostAttached : 0;
  options.patience = Millis(order.time_ms) + kAnswerTime;
  options.queue_patience = kQueueTime;
  options.payload = wire::encode(order);
  options.bytes = join(order.command, " ").size() + order.input.size();
  return options;
}

Result<contracts::RunCommandRequest> request_in(const wire::Value& body) {
  ASSIGN_OR_RETURN(auto request, decode_body<contracts::RunCommandRequest>(body));
  constexpr auto kMost = static_cast<int64_t>(contracts::run_exec::kMostInputBytes);
  if (decoded_size(request.input) <= kMost) return request;
  return invalid_argument("STDIN_TOO_LARGE",
                          cat("a command's standard input has at most ", kMost,
                              " bytes with the request: send more in pieces while it runs, with "
                              "stdinComes"),
                          "stdin");
}

}  // namespace

// The run's attempts are numbered under the same prefix: `<uid>/1`.
std::string name_of_command(const Run& run, std::string_view id) {
  return cat(run.metadata.uid, "/exec/", id);
}

Result<std::shared_ptr<RunCommand>> command_in_run(Call& call, Run run,
                                                   contracts::RunCommandRequest request,
                                                   bool stream) {
  TRY(KindTraits<Run>::check_maker(call.principal, run));
  if (request.command_id.empty()) request.command_id = make_uuid(call.services.random);
  contracts::AuditEvent event = event_of(call, "", "runs", run.metadata);
  event.command_id = name_of_command(run, request.command_id);
  ASSIGN_OR_RETURN(Bearer bearer, bearer_of(call));
  return std::make_shared<RunCommand>(
      RunCommand{call.services, std::move(run), std::move(request), std::move(event),
                 call.principal.subject, call.principal.name_space, std::move(bearer), stream});
}

// The record of its start is written while the command starts, and is stored before anybody hears
// of its end.
Result<RunResult> carry_out(RunCommand& command, const DisconnectToken& client,
                            const OnPiece& on_piece, const OnStart& on_start) {
  Services& services = command.services;
  ASSIGN_OR_RETURN(const uint64_t start, note_start(command));
  const auto settle = [&] { return services.later->settle(services.store, start); };
  calls::CallOptions options = options_of(command);
  const std::string name = options.name;
  options.client = client;
  options.on_piece = on_piece;
  options.meanwhile = [&, attached = options.kind == contracts::kRunAttach] {
    if (attached) services.calls->taken_input().begin(name, command.caller, command.name_space);
    if (on_start) on_start();
    if (!settle().ok() || !may_go_on(services, command.bearer)) (void)services.calls->stop(name);
  };
  const auto answer = services.calls->call(std::move(options), services.clock, services.random);
  auto result = conclude(command, answer);
  if (const Status recorded = settle(); !recorded) return unrecorded(recorded.error());
  return result;
}

Result<Response> run_command_in_run(Call& call) {
  ASSIGN_OR_RETURN(Run run, running_run(call));
  TRY(KindTraits<Run>::check_maker(call.principal, run));
  ASSIGN_OR_RETURN(auto request, request_in(std::exchange(call.body, {})));
  ASSIGN_OR_RETURN(const bool stream, flag_parameter(call.request, "stream"));
  if (request.terminal && !stream)
    return invalid_argument("PARAMETER_INVALID",
                            "a terminal's output comes as a stream alone: `?stream=true`",
                            "stream");
  ASSIGN_OR_RETURN(const auto command,
                   command_in_run(call, std::move(run), std::move(request), stream));
  if (!stream) {
    ASSIGN_OR_RETURN(const RunResult result, carry_out(*command, call.request.client, {}, {}));
    return object_response(result);
  }
  return stream_command(
      command->request.command_id,
      [command](const DisconnectToken& client, const OnPiece& on_piece, const OnStart& on_start) {
        return carry_out(*command, client, on_piece, on_start);
      });
}

Result<Response> cancel_command_in_run(Call& call) {
  ASSIGN_OR_RETURN(const Run run, running_run(call));
  if (!call.services.calls->stop(name_of_command(run, call.param("command"))).ok())
    return Error{Code::kNotFound, "COMMAND_NOT_FOUND", "no such command is under way in this run"};
  return json_response(
      wire::Value::Object{{"commandId", call.param("command")}, {"canceling", true}}, 202);
}

}  // namespace paddock::api
