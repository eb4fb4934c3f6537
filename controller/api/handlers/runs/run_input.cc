#include "controller/api/handlers/runs/run_input.h"

#include <utility>

#include "common/base/text.h"
#include "common/contracts/run_exec.h"
#include "controller/api/handlers/runs/run_commands.h"
#include "controller/api/handlers/runs/run_files.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/server/documents.h"
#include "controller/calls/relay.h"

namespace paddock::api {
namespace {

constexpr Millis kInputTime{20'000};
constexpr Millis kInputQueueTime{5'000};

Error not_found() {
  return {Code::kNotFound, "COMMAND_NOT_FOUND", "no such command is under way in this run"};
}

// The command is under way, as far as this controller knows, so the same piece may be sent again.
Error waits() {
  Error error{Code::kResourceExhausted, "INPUT_WAITS",
              "the command does not take it yet; send this piece again in a moment"};
  error.facts = {{"retryAfterSeconds", "1"}};
  return error;
}

// The command itself, and not a later one of its name.
Result<calls::CallId> command_of_caller(const Call& call, const std::string& name) {
  const auto command = call.services.calls->find(name);
  if (!command) return not_found();
  if (command->caller != call.principal.subject || command->name_space != call.principal.name_space)
    return Error{Code::kPermissionDenied, "COMMAND_NOT_YOURS",
                 "somebody else has begun this command, and types to it alone"};
  if (command->kind != contracts::kRunAttach)
    return Error{Code::kFailedPrecondition, "COMMAND_TAKES_NO_INPUT",
                 "the command was begun without input that comes while it runs"};
  return command->id;
}

// The node has it not yet, or has it no longer.
Error explained(const Services& services, const std::string& name, Error error) {
  if (error.reason == "COMMAND_NOT_FOUND")
    return services.calls->find(name) ? waits() : not_found();
  if (error.reason == "CALL_CANCELED") return not_found();  // it has ended meanwhile
  if (error.reason == "INPUT_WAITS") return waits();
  if (error.reason == "INPUT_OUT_OF_ORDER") error.code = Code::kConflict;
  return error;
}

}  // namespace

Result<contracts::InputTaken> give_input(Services& services, const CommandInput& to,
                                         contracts::InputPiece piece,
                                         const DisconnectToken& client) {
  calls::CallOptions options;
  options.part_of = to.call;
  options.node = to.node;
  options.caller = to.caller;
  options.name_space = to.name_space;
  options.kind = contracts::kRunInput;
  options.patience = kInputTime;
  options.queue_patience = kInputQueueTime;
  options.bytes = piece.data.size();
  options.payload =
      wire::encode(contracts::InputOrder{to.run_uid, to.command_id, std::move(piece)});
  options.client = client;
  const auto answer = services.calls->call(std::move(options), services.clock, services.random);
  if (!answer.ok()) return explained(services, to.name, answer.error());
  ASSIGN_OR_RETURN(const auto taken, wire::decode<contracts::InputTaken>(*answer));
  services.calls->taken_input().took(to.name, taken.next);
  return taken;
}

namespace {

Result<contracts::InputTaken> give_to_command(Call& call, const contracts::Run& run,
                                              const contracts::InputPiece& piece) {
  TRY(check_running(run));
  CommandInput to;
  to.name = name_of_command(run, call.param("command"));
  ASSIGN_OR_RETURN(to.call, command_of_caller(call, to.name));
  to.run_uid = run.metadata.uid;
  to.command_id = call.param("command");
  to.node = run.status.node_name;
  to.caller = call.principal.subject;
  to.name_space = call.principal.name_space;
  return give_input(call.services, to, piece, call.request.client);
}

bool says_it_ended(const Error& error) {
  return error.reason == "COMMAND_NOT_FOUND" || error.reason == "RUN_NOT_RUNNING";
}

}  // namespace

Result<Response> put_command_input(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Run run, stored_run(call));
  TRY(KindTraits<contracts::Run>::check_maker(call.principal, run));
  ASSIGN_OR_RETURN(const auto piece, wire::decode<contracts::InputPiece>(call.body));
  const auto taken = give_to_command(call, run, piece);
  if (taken.ok()) return object_response(*taken);
  if (!says_it_ended(taken.error())) return taken.error();
  const auto next = call.services.calls->taken_input().settled(
      name_of_command(run, call.param("command")), call.principal.subject,
      call.principal.name_space, piece);
  if (next) return object_response(contracts::InputTaken{*next});
  return taken.error();
}

}  // namespace paddock::api
