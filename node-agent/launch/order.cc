#include "node-agent/launch/order.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "common/base/text.h"
#include "common/os/packet_socket.h"
#include "common/wire/json.h"

namespace paddock::launch {
namespace {

bool readable(const os::Fd& socket, int timeout_ms) {
  pollfd waited{socket.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&waited, 1, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

constexpr Reason kUnclear = "BAD_ANSWER";

Error unclear() { return {Code::kInternal, kUnclear, "the launcher's answer makes no sense"}; }

Result<Launched> understand(const Result<os::Packet>& answer, os::Fd socket) {
  // The launcher has left without an answer: one that it had sent before would have come first.
  if (!answer && answer.error().reason == "PEER_GONE") return answer.error();
  if (!answer) return unclear().within(answer.error().describe());
  const std::string_view text = answer->bytes;
  if (text.starts_with(contracts::kLaunchAccepted)) {
    const auto pid = parse_integer<pid_t>(text.substr(contracts::kLaunchAccepted.size()));
    if (pid && *pid > 0) return Launched{*pid, std::move(socket)};
  }
  if (!text.starts_with(contracts::kLaunchRefused)) return unclear();
  const std::string_view why = text.substr(contracts::kLaunchRefused.size());
  const size_t colon = why.find(": ");
  if (colon == std::string_view::npos)
    return Error{Code::kUnavailable, "REFUSED", std::string(why)};
  return Error{Code::kUnavailable, Reason::parse(why.substr(0, colon)),
               std::string(why.substr(colon + 2))};
}

std::string_view word_for(const OrderFiles& files) {
  if (files.exec && files.terminal) return contracts::kExecTerminalOrder;
  if (files.exec) return contracts::kExecOrder;
  if (files.ahead) return contracts::kPrelaunchOrder;
  return files.input >= 0 ? contracts::kLaunchAttachedOrder : contracts::kLaunchOrder;
}

Result<Launched> ask(const std::string& path, std::string_view word, const std::vector<int>& fds,
                     int patience_ms) {
  ASSIGN_OR_RETURN(os::Fd socket, os::connect_packets(path));
  TRY(os::send_packet(socket.get(), word, fds));
  if (!readable(socket, patience_ms)) {
    // After this no answer can arrive; one that arrived before still counts.
    shutdown(socket.get(), SHUT_RD);
    char first = 0;
    if (recv(socket.get(), &first, sizeof first, MSG_PEEK | MSG_DONTWAIT) <= 0)
      return Error{Code::kDeadlineExceeded, "NO_ANSWER", "the launcher does not answer"};
  }
  const auto answer = os::receive_packet(socket.get());
  return understand(answer, std::move(socket));
}

}  // namespace

Result<os::Fd> request_file(const contracts::LaunchRequest& request) {
  return os::file_in_memory(wire::encode_json(request));
}

// `inputComes` means nothing to a launcher, and one of an earlier release would refuse the field.
Result<os::Fd> request_file(const contracts::ExecOrder& order) {
  contracts::ExecOrder told = order;
  told.input_comes = false;
  return os::file_in_memory(wire::encode_json(told));
}

Result<Launched> order_launch(const std::string& path, const OrderFiles& files, int patience_ms) {
  std::vector<int> fds = {files.request, files.events};
  for (const int further : {files.input, files.lock})
    if (further >= 0) fds.push_back(further);
  return ask(path, word_for(files), fds, patience_ms);
}

Status order_signal(const std::string& path, contracts::RunSignal signal) {
  const auto sent =
      ask(path, cat(contracts::kSignalOrder, wire::enum_name(signal)), {}, kOrderPatienceMs);
  if (sent.ok()) return {};
  if (is_one_of(sent.error().reason, {"NOT_LISTENING", "PEER_GONE", "RUN_NOT_RUNNING"}))
    return Error{Code::kFailedPrecondition, "RUN_NOT_RUNNING", "the run has ended meanwhile"};
  if (sent.error().reason == "BAD_ORDER")
    return Error{Code::kFailedPrecondition, "RUN_EXEC_UNSUPPORTED",
                 "the run was started by a launcher of an earlier release, which passes no signal "
                 "on: start the run anew"};
  return sent.error();
}

bool may_have_started(const Error& error) { return error.reason == kUnclear; }

Status begin_attached(const Launched& run, Millis wall_time) {
  return os::send_packet(run.connection.get(), cat(contracts::kLaunchBegin, wall_time.count()));
}

Status begin_prelaunched(const Launched& run, Millis wall_time, std::string_view last_argument,
                         bool shown) {
  const std::string word = cat(contracts::kLaunchBegin, wall_time.count(),
                               shown ? contracts::kLaunchShown : std::string_view());
  if (word.size() + 1 + last_argument.size() <= os::kMaxPacketBytes)
    return os::send_packet(run.connection.get(), cat(word, "\n", last_argument));
  ASSIGN_OR_RETURN(const os::Fd file, os::file_in_memory(last_argument));
  const int fd = file.get();
  return os::send_packet(run.connection.get(), word, {&fd, 1});
}

}  // namespace paddock::launch
