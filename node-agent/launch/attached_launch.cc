#include "node-agent/launch/attached_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "common/os/packet_socket.h"
#include "common/os/socket.h"
#include "common/wire/json.h"

namespace paddock::launch {
namespace {

Status do_not_block(const os::Fd& end) {
  if (fcntl(end.get(), F_SETFL, O_NONBLOCK) != 0)
    return system_error("the launch's channels", errno);
  return {};
}

Error not_executed(Error error, bool terminal) {
  if (terminal && error.reason == "BAD_ORDER")
    return {Code::kFailedPrecondition, "RUN_EXEC_UNSUPPORTED",
            "the run was started by a launcher of an earlier release, which has no terminals: "
            "start the run anew, or leave out the terminal"};
  if (is_one_of(error.reason, {"NOT_LISTENING", "PEER_GONE", "RUN_NOT_RUNNING"}))
    return {Code::kFailedPrecondition, "RUN_NOT_RUNNING", "the run has ended meanwhile"};
  if (error.reason == "TOO_MANY_COMMANDS") error.code = Code::kResourceExhausted;
  return error;
}

}  // namespace

Error launcher_lost() {
  return {Code::kUnavailable, "LAUNCHER_LOST", "the sandbox's launcher died; try again"};
}

Error no_answer() {
  return {
      Code::kDeadlineExceeded, "NO_ANSWER",
      "the sandbox's launcher does not answer: it was stopped or frozen, and the command's time "
      "is over"};
}

Result<AttachedLaunch> AttachedLaunch::order(const std::string& socket,
                                             const contracts::LaunchRequest& request,
                                             size_t max_result) {
  ASSIGN_OR_RETURN(os::SocketPair ends, os::make_socket_pair());
  AttachedLaunch out(max_result);
  out.talk_ = std::move(ends.ours);
  TRY(out.place(socket, request, {.input = ends.theirs.get()}));
  TRY(do_not_block(out.talk_));
  return out;
}

Result<AttachedLaunch> AttachedLaunch::prelaunch(const std::string& socket,
                                                 const contracts::LaunchRequest& request,
                                                 size_t max_result) {
  AttachedLaunch out(max_result);
  TRY(out.place(socket, request, {.ahead = true}));
  return out;
}

Result<AttachedLaunch> AttachedLaunch::execute(const std::string& socket,
                                               const contracts::ExecOrder& order, size_t max_result,
                                               Input input) {
  AttachedLaunch out(max_result);
  os::Pipe ends;
  if (input == Input::kPipe) {
    ASSIGN_OR_RETURN(ends, os::make_pipe());
    out.talk_ = std::move(ends.write);
    TRY(do_not_block(out.talk_));
  }
  out.awaits_terminal_ = out.has_terminal_ = input == Input::kTerminal;
  const Status placed =
      out.place(socket, order,
                {.input = ends.read.get(), .exec = true, .terminal = input == Input::kTerminal});
  if (!placed.ok()) return not_executed(placed.error(), out.has_terminal_);
  out.launched_.launcher = 0;
  return out;
}

template <class Order>
Status AttachedLaunch::place(const std::string& socket, const Order& order, OrderFiles files) {
  ASSIGN_OR_RETURN(const os::Fd file, request_file(order));
  ASSIGN_OR_RETURN(os::Pipe events, os::make_pipe());
  TRY(do_not_block(events.read));
  files.request = file.get();
  files.events = events.write.get();
  ASSIGN_OR_RETURN(launched_, order_launch(socket, files));
  events_ = std::move(events.read);
  return {};
}

// While the connection is there, so is its launcher; later its identity tells.
bool AttachedLaunch::signal(int number) {
  if (launched_.launcher <= 0) return false;
  if (!launched_.connection.valid()) return left_ && os::signal_process(*left_, number).ok();
  return !ended() && ::kill(launched_.launcher, number) == 0;
}

void AttachedLaunch::end() {
  if (launched_.connection.valid() && signal(SIGCONT)) left_ = os::identify(launched_.launcher);
  launched_.connection.reset();
  if (!has_terminal_) return;
  awaits_terminal_ = false;
  talk_.reset();  // it hangs up
}

// A launcher that has left sends none; of its end we read elsewhere.
void AttachedLaunch::take_terminal() {
  awaits_terminal_ = false;
  auto packet = os::receive_packet(launched_.connection.get());
  if (!packet.ok() || packet->bytes != contracts::kExecTerminal || packet->fds.size() != 1) return;
  if (isatty(packet->fds[0].get()) == 0 || !do_not_block(packet->fds[0]).ok()) return;
  talk_ = std::move(packet->fds[0]);
}

void AttachedLaunch::resize(const contracts::TerminalSize& size) {
  winsize wanted{};
  wanted.ws_row = static_cast<unsigned short>(size.rows);
  wanted.ws_col = static_cast<unsigned short>(size.columns);
  if (talk_.valid() && has_terminal_) (void)ioctl(talk_.get(), TIOCSWINSZ, &wanted);
}

void AttachedLaunch::kill() {
  if (launched_.connection.valid()) signal(SIGQUIT);
  end();
}

bool AttachedLaunch::wake() { return signal(SIGCONT); }

void AttachedLaunch::destroy() { signal(SIGKILL); }

bool AttachedLaunch::ended() const {
  pollfd asked{launched_.connection.get(), POLLIN, 0};
  return poll(&asked, 1, 0) > 0;
}

Result<bool> AttachedLaunch::read_events(const OnOutput& on_output) {
  std::array<char, 65536> piece;
  const ssize_t n = read(events_.get(), piece.data(), piece.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n <= 0) return launcher_lost();
  frames_.append(piece.data(), static_cast<size_t>(n));
  std::string_view rest = frames_;
  contracts::Frame frame;
  while (!result_) {
    ASSIGN_OR_RETURN(const bool whole, contracts::take_frame(rest, frame));
    if (!whole) break;
    TRY(take(frame, on_output));
  }
  frames_.erase(0, frames_.size() - rest.size());
  return result_.has_value();
}

Status AttachedLaunch::take(const contracts::Frame& frame, const OnOutput& on_output) {
  using contracts::FrameType;
  if (frame.type == FrameType::kStdout || frame.type == FrameType::kStderr) {
    if (on_output) on_output(frame.type, frame.payload);
    return {};
  }
  if (frame.type != FrameType::kResult) return {};
  ASSIGN_OR_RETURN(const wire::Value document,
                   wire::parse_json(frame.payload, {.max_bytes = max_result_}));
  ASSIGN_OR_RETURN(result_, wire::decode<contracts::SandboxResult>(document));
  return {};
}

}  // namespace paddock::launch
