// The work for each kind of call.
#include <poll.h>

#include <utility>

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/run_exec.h"
#include "common/contracts/run_signal.h"
#include "common/contracts/sandbox_refusal.h"
#include "node-agent/calls/call_host.h"
#include "node-agent/calls/piece_sender.h"
#include "node-agent/files/run_files.h"
#include "node-agent/launch/attached_launch.h"
#include "node-agent/launch/order.h"

namespace paddock::agent {
namespace {

using Input = launch::AttachedLaunch::Input;

constexpr size_t kMostExecResult = size_t{64} << 20;  // both streams, six bytes for each of theirs
constexpr Millis kExecSetup{30'000};                  // the launcher's own bound
constexpr Millis kExecGrace{10'000};                  // what a launcher leaves them, and no more
constexpr int64_t kMostAttached = 64;                 // on this node, each with a thread
constexpr int64_t kMostForPlace = 64;                 // for a place, each with a thread
constexpr Millis kPlaceTime{5'000};                   // as long as the controller would keep it
constexpr Millis kExecPlaceTime{30'000};

std::optional<contracts::FailureKind> kind_of(Code code) {
  using enum contracts::FailureKind;
  switch (code) {
    case Code::kInvalidArgument:
      return kInvalid;
    case Code::kNotFound:
      return kNotFound;
    case Code::kAlreadyExists:
      return kExists;
    case Code::kFailedPrecondition:
      return kPrecondition;
    case Code::kTooLarge:
      return kTooLarge;
    case Code::kResourceExhausted:
      return kExhausted;
    case Code::kUnauthenticated:
    case Code::kPermissionDenied:
    case Code::kConflict:
    case Code::kGone:
    case Code::kUnavailable:
    case Code::kDeadlineExceeded:
    case Code::kInternal:
      break;
  }
  return std::nullopt;  // it may pass
}

contracts::CallAnswer failure(const std::string& id, const Error& error) {
  contracts::CallAnswer out;
  out.id = id;
  out.failure =
      contracts::CallFailure{error.reason, error.message.substr(0, 1024), kind_of(error.code),
                             error.causes.empty() ? std::string() : error.causes.front().field};
  return out;
}

// Whatever the snippet service found wrong, the caller is told that it may try again.
Error passing(Error error) {
  error.code = Code::kUnavailable;
  return error;
}

}  // namespace

std::vector<DiskWriter> CallHost::disk_writers() {
  std::vector<DiskWriter> out;
  for (const sessions::Service::Written& each : sessions_.written()) {
    out.push_back({.what = "session",
                   .uid = each.uid,
                   .use = {each.use, contracts::kUsualDisk, each.ending},
                   .end = [this, uid = each.uid](const std::string& why) {
                     sessions_.end_for_disk(uid, why);
                   }});
  }
  return out;
}

// Runs the command; with `stream` its output is sent on as it comes.
Result<wire::Value> CallHost::with_output(const std::string& call, bool stream,
                                          const Command& command, OnLost on_lost) {
  std::unique_ptr<PieceSender> sender;
  OnOutput on_output;
  TakesOutput takes_output;
  if (stream) {
    contracts::CallsRequest first;
    first.process = self_.nonce;
    first.generation = self_.generation;
    sender =
        std::make_unique<PieceSender>(endpoint_(), node_, std::move(first), std::move(on_lost));
    TRY(sender->started());
    on_output = [&](contracts::FrameType type, std::string_view bytes) {
      const contracts::CommandPiece piece{std::string(wire::enum_name(type)), base64(bytes)};
      sender->add(call, wire::encode(piece));
    };
    takes_output = [&] { return sender->has_room(); };
  }
  ASSIGN_OR_RETURN(const auto result, command(on_output, takes_output));
  if (sender && !sender->finish())
    return Error{Code::kUnavailable, "STREAM_LOST",
                 "the command ran, and its output did not reach the controller"};
  return wire::encode(result);
}

Result<wire::Value> CallHost::run_command(const contracts::NodeCall& call, int drop) {
  ASSIGN_OR_RETURN(const auto order, wire::decode<contracts::CommandOrder>(call.payload));
  return with_output(
      call.id, order.stream,
      [&](const OnOutput& on_output, const TakesOutput& takes_output) {
        auto result = sessions_.run(order, drop, on_output, takes_output);
        if (result && contracts::may_be_the_hosts(*result)) doubt_();
        return result;
      },
      [this, id = call.id] { end_call(id); });
}

// `how` says what ends the command and what its input is; the order says the rest.
Result<wire::Value> CallHost::follow_in_run(const std::string& call,
                                            launch::AttachedLaunch& command,
                                            const contracts::ExecOrder& order,
                                            sessions::Following how) {
  how.wall_time = Millis(order.time_ms);
  how.grace = kExecGrace;
  how.setup = kExecSetup;
  return with_output(
      call, order.stream,
      [&](const OnOutput& on_output, const TakesOutput& takes_output) {
        how.on_output = on_output;
        how.takes_output = takes_output;
        return sessions::follow(command, how, clock_);
      },
      [this, call] { end_call(call); });
}

// The run's launcher enforces limits and time; dropping the call ends the command. The input is
// kept once, as bytes, until the command ends. Output that is sent on is read as fast as it is
// taken.
Result<wire::Value> CallHost::execute_in_run(contracts::NodeCall& call, int drop) {
  ASSIGN_OR_RETURN(auto order, wire::decode<contracts::ExecOrder>(call.payload));
  call.payload = {};
  const auto input = decode_base64(std::exchange(order.input, {}));
  if (!input) return invalid_argument("BAD_DATA", "the command's input is not base64");
  ASSIGN_OR_RETURN(const std::string socket, runs_.exec_socket(order.run_uid));
  ASSIGN_OR_RETURN(auto command,
                   launch::AttachedLaunch::execute(socket, order, kMostExecResult,
                                                   input->empty() ? Input::kNone : Input::kPipe));
  return follow_in_run(call.id, command, order, {.stop = drop, .input = *input});
}

// Reads the command's output as fast as the controller takes it: all of it is passed on, and
// nothing kept. The command ends when the controller takes no more, since nobody would see what it
// does.
Result<wire::Value> CallHost::attach_in_run(const contracts::NodeCall& call, int drop) {
  ASSIGN_OR_RETURN(const auto order, wire::decode<contracts::ExecOrder>(call.payload));
  if (state_.with([](const State& state) { return state.under_way.attached > kMostAttached; }))
    return Error{Code::kResourceExhausted, "TOO_MANY_COMMANDS",
                 cat("this node has ", kMostAttached,
                     " commands of all callers that have a terminal, or input that comes, as many "
                     "as a node takes: wait until one ends")};
  ASSIGN_OR_RETURN(const std::string socket, runs_.exec_socket(order.run_uid));
  const bool terminal = order.terminal.has_value();
  ASSIGN_OR_RETURN(auto command,
                   launch::AttachedLaunch::execute(socket, order, kMostExecResult,
                                                   terminal            ? Input::kTerminal
                                                   : order.input_comes ? Input::kPipe
                                                                       : Input::kNone));
  const auto input = std::make_shared<sessions::LiveInput>(terminal, order.input_comes);
  const std::string name = cat(order.run_uid, "/", order.command_id);
  state_.with([&](State& state) { state.typed[name] = input; });
  auto ended = follow_in_run(call.id, command, order, {.stop = drop, .live = input.get()});
  state_.with([&](State& state) {
    const auto found = state.typed.find(name);
    if (found != state.typed.end() && found->second == input) state.typed.erase(found);
  });
  return ended;
}

// A command that is not here has not begun yet, or has ended; the caller knows which.
Result<wire::Value> CallHost::put_input(const contracts::NodeCall& call) {
  ASSIGN_OR_RETURN(const auto order, wire::decode<contracts::InputOrder>(call.payload));
  const std::string name = cat(order.run_uid, "/", order.command_id);
  const auto input = state_.with([&](State& state) {
    const auto found = state.typed.find(name);
    return found == state.typed.end() ? nullptr : found->second;
  });
  if (!input) return Error{Code::kNotFound, "COMMAND_NOT_FOUND", "no such command is here"};
  ASSIGN_OR_RETURN(const int64_t next, input->add(order.piece));
  return wire::encode(contracts::InputTaken{next});
}

Result<wire::Value> CallHost::read_run_file(const contracts::NodeCall& call) {
  ASSIGN_OR_RETURN(const auto order, wire::decode<contracts::FileOrder>(call.payload));
  if (order.operation != contracts::FileOperation::kRead)
    return invalid_argument("BAD_DATA", "files of a run are read and not changed");
  ASSIGN_OR_RETURN(const os::Fd root, runs_.open(order.uid));
  ASSIGN_OR_RETURN(const auto answer, files::read_part(root.get(), order));
  return wire::encode(answer);
}

Result<wire::Value> CallHost::put_run_file(const contracts::NodeCall& call) {
  ASSIGN_OR_RETURN(const auto order, wire::decode<contracts::FileOrder>(call.payload));
  const auto turn = turns_.take(order.uid);
  ASSIGN_OR_RETURN(const auto workspace, runs_.open_to_write(order.uid));
  files::RunFileRules rules{workspace.root.get(), workspace.user, workspace.bytes_left,
                            workspace.files_left};
  if (workspace.measured.valid()) rules.measured = workspace.measured.get();
  rules.wrote = workspace.wrote;
  ASSIGN_OR_RETURN(const auto answer, files::put_whole(rules, order));
  return wire::encode(answer);
}

Result<wire::Value> CallHost::perform(contracts::NodeCall& call, int drop) {
  if (call.kind == contracts::kSnippetCall) {
    const auto order = wire::decode<contracts::SnippetOrder>(call.payload);
    if (!order.ok()) return passing(order.error());
    const auto ran = service_.execute(*order, drop);
    if (!ran.ok()) return passing(ran.error());
    if (ran->result && ran->result->status == contracts::SandboxStatus::kInternalError) doubt_();
    return wire::encode(*ran);
  }
  if (call.kind == contracts::kSessionRun) return run_command(call, drop);
  if (call.kind == contracts::kRunExec) return execute_in_run(call, drop);
  if (call.kind == contracts::kRunAttach) return attach_in_run(call, drop);
  if (call.kind == contracts::kRunInput) return put_input(call);
  if (call.kind == contracts::kRunFile) return read_run_file(call);
  if (call.kind == contracts::kRunPut) return put_run_file(call);
  if (call.kind == contracts::kSessionFile) {
    ASSIGN_OR_RETURN(const auto order, wire::decode<contracts::FileOrder>(call.payload));
    ASSIGN_OR_RETURN(const auto answer, sessions_.file(order));
    return wire::encode(answer);
  }
  if (call.kind == contracts::kRunSignal) {
    ASSIGN_OR_RETURN(const auto order, wire::decode<contracts::SignalOrder>(call.payload));
    ASSIGN_OR_RETURN(const std::string socket, runs_.exec_socket(order.run_uid));
    TRY(launch::order_signal(socket, order.signal));
    return wire::Value(wire::Value::Object{});
  }
  if (call.kind == contracts::kSessionOpen) {
    ASSIGN_OR_RETURN(const auto order, wire::decode<contracts::SessionOrder>(call.payload));
    TRY(sessions_.open(order));
    return wire::Value(wire::Value::Object{});
  }
  if (call.kind == contracts::kSessionClose) {
    ASSIGN_OR_RETURN(const auto name, wire::decode<contracts::SessionName>(call.payload));
    TRY(sessions_.close(name.uid));
    return wire::Value(wire::Value::Object{});
  }
  return Error{Code::kUnavailable, "CALL_UNKNOWN", "the node knows no such call"};
}

void CallHost::end_call(const std::string& id) {
  state_.with([&](State& state) {
    const auto found = state.calls.find(id);
    if (found != state.calls.end()) found->second.raise();
  });
}

// A lane that is open for typed input may bring other calls as well, even when all places are
// taken: they wait here for one.
Status CallHost::wait_for_place(const std::string& kind, int drop) {
  if (!takes_place(kind)) return {};
  const auto dropped = [drop] {
    pollfd event{drop, POLLIN, 0};
    return poll(&event, 1, 0) > 0;
  };
  const bool waits = state_.with([&](State& state) {
    ++state.under_way.waiting;  // it counts among the others already
    return !has_place(state) && state.under_way.waiting <= kMostForPlace;
  });
  const Millis limit = !waits                        ? Millis(0)
                       : kind == contracts::kRunExec ? kExecPlaceTime
                                                     : kPlaceTime;
  return state_.wait_for(
      changed_, limit,
      [&](const State& state) { return state.stopping || dropped() || has_place(state); },
      [&](State& state, bool) -> Status {
        const bool place = has_place(state);
        --state.under_way.waiting;
        if (state.stopping || dropped())
          return Error{Code::kFailedPrecondition, "CALL_CANCELED",
                       "it was canceled before it began"};
        if (place) return {};
        return Error{Code::kResourceExhausted, "NODES_BUSY",
                     "its node had no hand free for it in time, and has not begun it; try again"};
      });
}

contracts::CallAnswer CallHost::serve(contracts::NodeCall call) {
  const int drop = register_call(call.id);
  const Status place = wait_for_place(call.kind, drop);
  auto done = place.ok() ? perform(call, drop) : Result<wire::Value>(place.error());
  state_.with([&](State& state) { state.calls.erase(call.id); });
  if (!done.ok()) return failure(call.id, contracts::name_full_disk(done.error()));
  contracts::CallAnswer out;
  out.id = call.id;
  out.result = std::move(*done);
  return out;
}

}  // namespace paddock::agent
