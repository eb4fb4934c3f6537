#include "controller/api/handlers/runs/pod_exec.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/one_line.h"
#include "common/base/suspension.h"
#include "common/base/text.h"
#include "common/contracts/not_executed.h"
#include "common/wire/json.h"
#include "controller/api/handlers/runs/exec_client.h"
#include "controller/api/handlers/runs/exec_exchange.h"
#include "controller/api/handlers/runs/run_commands.h"
#include "controller/api/handlers/runs/run_files.h"
#include "controller/api/handlers/runs/run_input.h"
#include "controller/api/server/command_outcome.h"
#include "controller/api/server/documents.h"
#include "controller/calls/relay.h"
#include "controller/http_server/refusal.h"
#include "controller/http_server/stop_signal.h"
#include "controller/http_server/thread_group.h"
#include "controller/k8s/exec_channels.h"
#include "controller/k8s/pods.h"
#include "controller/websocket/handshake.h"

namespace paddock::api {
namespace {

using contracts::RunResult;
using k8s::ExecChannel;

constexpr size_t kMostOutputMessage = size_t{32} << 10;  // of output
constexpr size_t kMostLastLine = 4096;
constexpr Millis kSizeTime{1'000};  // kubectl tells its window's size at once
constexpr Millis kFirstPause{20};   // until a piece that is not taken is sent again
constexpr Millis kLongestPause{250};
constexpr Millis kPatience{60'000};    // while nobody says that a piece is taken, or is to wait
constexpr Millis kLongestTry{30'000};  // of a longer stretch no more counts: we stood still

struct ExecWish {
  contracts::RunCommandRequest request;
  bool input = false;
  bool output = false;
  bool errors = false;
  k8s::ExecWants wants() const { return {input, request.terminal.has_value()}; }
};

Status check_container(const Request& request) {
  const std::string container = request.parameter("container").value_or("");
  if (container.empty() || container == k8s::kPodContainer) return {};
  return invalid_argument("PARAMETER_INVALID", cat("a run has one container, ", k8s::kPodContainer),
                          "container");
}

// kubectl knows no time limit: it is the most that a command may have.
Result<ExecWish> wish_of(const Call& call) {
  const Request& request = call.request;
  TRY(check_container(request));
  ExecWish out;
  ASSIGN_OR_RETURN(out.input, flag_parameter(request, "stdin"));
  ASSIGN_OR_RETURN(out.output, flag_parameter(request, "stdout"));
  ASSIGN_OR_RETURN(out.errors, flag_parameter(request, "stderr"));
  ASSIGN_OR_RETURN(const bool terminal, flag_parameter(request, "tty"));
  if (!out.input && !out.output && !out.errors)
    return invalid_argument("PARAMETER_INVALID", "one of stdin, stdout and stderr must be wanted",
                            "stdout");
  for (const auto& [name, value] : request.query) {
    if (name == "command") out.request.command.push_back(value);
  }
  if (out.request.command.empty())
    return invalid_argument("PARAMETER_INVALID", "there must be a command", "command");
  out.request.command_id = make_uuid(call.services.random);
  out.request.input_comes = out.input;
  if (terminal) out.request.terminal = contracts::TerminalSize{};
  if (!terminal) out.request.timeout_ms = contracts::run_exec::kMostTimeMs;
  ASSIGN_OR_RETURN(out.request,
                   wire::decode<contracts::RunCommandRequest>(wire::encode(out.request)));
  return out;
}

// One command and its attached client, while three threads work for them.
class Attached {
 public:
  Attached(RunCommand& command, const ExecWish& wish, Upgraded& connection)
      : command_(command), wish_(wish), exchange_(connection.waker()) {}

  void carry_out();
  void feed();
  ExecExchange& exchange() { return exchange_; }

 private:
  bool has_terminal() const { return wish_.request.terminal.has_value(); }
  DisconnectToken client() const {
    return {[this] { return exchange_.wanted(); }, {}};
  }
  void tell(ExecChannel channel, std::string_view bytes);
  void tell_piece(const wire::Value& piece);
  void tell_end(const Result<RunResult>& result);
  bool give(const contracts::InputPiece& piece);

  RunCommand& command_;
  const ExecWish& wish_;
  ExecExchange exchange_;
  bool silent_ = true;  // so far
  CommandInput to_;     // written before the exchange says that the command has begun
};

void Attached::tell(ExecChannel channel, std::string_view bytes) {
  const bool wanted = channel == ExecChannel::kOutput ? wish_.output : wish_.errors;
  for (; wanted && !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMostOutputMessage)))
    exchange_.put(k8s::exec_message(channel, bytes.substr(0, kMostOutputMessage)));
}

void Attached::tell_piece(const wire::Value& piece) {
  const std::string stream = piece.text("stream");
  const auto bytes = decode_base64(piece.text("data"));
  if (!bytes || (stream != "stdout" && stream != "stderr")) return;
  silent_ = silent_ && bytes->empty();
  tell(stream == "stdout" ? ExecChannel::kOutput : ExecChannel::kErrors, *bytes);
}

// The explanation that kubectl itself would not show, for a command that did not end by itself or
// could not be executed.
std::string last_line(const RunResult& result, bool silent) {
  if (!result.error_class && !contracts::was_not_executed(result, silent)) return "";
  const std::string what =
      result.error_class ? cat(result.code.value_or(*result.error_class), ": ") : "";
  return one_line(what + result.reason, kMostLastLine, ' ');
}

void Attached::tell_end(const Result<RunResult>& result) {
  if (result.ok()) {
    if (const std::string line = last_line(*result, silent_); !line.empty())
      tell(has_terminal() ? ExecChannel::kOutput : ExecChannel::kErrors, line + "\r\n");
  }
  const auto failure = exchange_.failure();
  const wire::Value status = failure ? http_server::refusal_document(told_in_stream(*failure))
                             : result.ok()
                                 ? k8s::exec_status(*result)
                                 : http_server::refusal_document(told_in_stream(result.error()));
  exchange_.finish(k8s::exec_message(ExecChannel::kStatus, wire::to_json(status)));
}

void Attached::carry_out() {
  if (has_terminal()) {
    if (const auto size = exchange_.first_size(kSizeTime)) command_.request.terminal = size;
  }
  const Services& services = command_.services;
  const std::string name = name_of_command(command_.run, command_.request.command_id);
  tell_end(api::carry_out(
      command_, client(), [this](const wire::Value& piece) { tell_piece(piece); },
      [&] {
        const auto call = services.calls->find(name);
        to_ = {call ? call->id : "",
               name,
               command_.run.metadata.uid,
               command_.request.command_id,
               command_.run.status.node_name,
               command_.caller,
               command_.name_space};
        exchange_.started();
      }));
}

// False: nothing more is to be given.
bool Attached::give(const contracts::InputPiece& piece) {
  if (const Status good = check_bearer(command_.services, command_.bearer); !good.ok()) {
    exchange_.fail(good.error());
    return false;
  }
  const Clock& clock = command_.services.clock;
  LivedTime silence(kLongestTry, clock.mono());
  for (Millis pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    const auto taken = give_input(command_.services, to_, piece, client());
    if (taken.ok()) return true;
    const Error& error = taken.error();
    if (error.reason == "COMMAND_NOT_FOUND") return false;
    const bool waits = error.reason == "INPUT_WAITS";
    if (waits) silence = LivedTime(kLongestTry, clock.mono());
    const bool passing = waits || retryable(error.code);
    if (!passing || silence.look(clock.mono()) >= kPatience) {
      exchange_.fail(error);
      return false;
    }
    if (!exchange_.pause(pause)) return false;
  }
}

void Attached::feed() {
  for (int64_t number = 1;; ++number) {
    auto piece = exchange_.next_piece(has_terminal());
    if (!piece) return;
    piece->seq = number;
    if (!give(*piece) || piece->end) return;
  }
}

void attach(RunCommand& command, const ExecWish& wish, Upgraded& connection) {
  Attached attached(command, wish, connection);
  ExecExchange& exchange = attached.exchange();
  auto finished = http_server::StopSignal::make_event();
  std::unique_ptr<http_server::ThreadGroup> threads;
  if (finished.ok()) threads = std::make_unique<http_server::ThreadGroup>(std::move(*finished));
  const bool takes = wish.input || wish.request.terminal;
  const bool started = threads && (!takes || threads->start([&] { attached.feed(); })) &&
                       threads->start([&] { attached.carry_out(); });
  if (!started) {
    const Error none{Code::kUnavailable, "NO_THREADS", "no thread could be started; try again"};
    exchange.finish(k8s::exec_message(ExecChannel::kStatus,
                                      wire::to_json(http_server::refusal_document(none))));
  }
  ExecClient(connection, exchange, wish.wants(), command.services.clock).serve();
  if (threads) threads->join_all();
}

}  // namespace

Result<Response> exec_in_pod(Call& call) {
  ASSIGN_OR_RETURN(contracts::Run run, running_run(call));
  TRY(refuse_dry_run(call.request, call.body));
  ASSIGN_OR_RETURN(ExecWish wish, wish_of(call));
  ASSIGN_OR_RETURN(auto command, command_in_run(call, std::move(run), wish.request, true));
  std::map<std::string, std::string> headers = call.request.headers;
  if (call.request.method != "GET" || call.request.inner) headers.erase("upgrade");
  ASSIGN_OR_RETURN(const websocket::Opening opening,
                   websocket::open_by(headers, k8s::kExecProtocols));
  Response response;
  response.status = 101;
  response.headers = {{"Sec-WebSocket-Accept", opening.accept},
                      {"Sec-WebSocket-Protocol", opening.protocol}};
  response.upgraded = [command = std::move(command), wish = std::move(wish)](Upgraded& connection) {
    attach(*command, wish, connection);
  };
  return response;
}

}  // namespace paddock::api
