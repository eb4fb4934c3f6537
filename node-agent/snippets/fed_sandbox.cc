#include "node-agent/snippets/fed_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/wire/json.h"

namespace paddock::snippets {
namespace {

constexpr size_t kMaxResult = size_t{64} << 20;  // both streams, six bytes for each of theirs
constexpr Millis kResultTime{10'000};            // for a launcher to end what is over

Result<os::Fd> request_file(const contracts::LaunchRequest& request) {
  os::Fd file(memfd_create("request", MFD_CLOEXEC));
  if (!file.valid()) return system_error("making the request's file", errno);
  TRY(os::write_all(file.get(), wire::to_json(wire::encode(request))));
  if (lseek(file.get(), 0, SEEK_SET) != 0) return system_error("the request's file", errno);
  return file;
}

Error lost() {
  return {Code::kUnavailable, "LAUNCHER_LOST", "the sandbox's launcher died; try again"};
}

bool readable_now(int fd, short events) {
  pollfd asked{fd, events, 0};
  return poll(&asked, 1, 0) > 0;
}

}  // namespace

Result<std::unique_ptr<FedSandbox>> FedSandbox::launch(const std::string& socket,
                                                       const contracts::LaunchRequest& request) {
  ASSIGN_OR_RETURN(const os::Fd file, request_file(request));
  ASSIGN_OR_RETURN(os::Pipe events, os::make_pipe());
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("making the input's socket", errno);
  const os::Fd inside(ends[1]);
  std::unique_ptr<FedSandbox> out(new FedSandbox);
  out->talk_.reset(ends[0]);
  launch::OrderFiles files;
  files.request = file.get();
  files.events = events.write.get();
  files.input = inside.get();
  ASSIGN_OR_RETURN(out->launched_, launch::order_launch(socket, files));
  if (fcntl(events.read.get(), F_SETFL, O_NONBLOCK) != 0 ||
      fcntl(out->talk_.get(), F_SETFL, O_NONBLOCK) != 0)
    return system_error("the launch's channels", errno);
  out->events_ = std::move(events.read);
  return out;
}

bool FedSandbox::ready() {
  char byte = 0;
  if (!ready_) ready_ = recv(talk_.get(), &byte, 1, MSG_DONTWAIT) == 1;
  return ready_;
}

bool FedSandbox::ended() const { return readable_now(launched_.connection.get(), POLLIN); }

void FedSandbox::send(std::string_view& input) {
  while (!input.empty()) {
    const ssize_t n = ::send(talk_.get(), input.data(), input.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) input = {};  // nobody reads it; the result will say why
    if (n > 0) input.remove_prefix(static_cast<size_t>(n));
  }
  shutdown(talk_.get(), SHUT_WR);
}

Result<bool> FedSandbox::read_events() {
  std::array<char, 65536> piece;
  const ssize_t n = read(events_.get(), piece.data(), piece.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n <= 0) return lost();
  frames_.append(piece.data(), static_cast<size_t>(n));
  std::string_view rest = frames_;
  contracts::Frame frame;
  while (true) {
    ASSIGN_OR_RETURN(const bool whole, contracts::take_frame(rest, frame));
    if (!whole) break;
    if (frame.type != contracts::FrameType::kResult) continue;  // it repeats all output
    ASSIGN_OR_RETURN(const wire::Value document,
                     wire::parse_json(frame.payload, {.max_bytes = kMaxResult}));
    ASSIGN_OR_RETURN(result_, wire::decode<contracts::SandboxResult>(document));
    return true;
  }
  frames_.erase(0, frames_.size() - rest.size());
  return false;
}

Result<contracts::SandboxResult> FedSandbox::run(std::string_view input, Millis wall_time, int drop,
                                                 const Clock& clock) {
  const MonoTime end = clock.mono() + wall_time + kResultTime;
  // One that has ended already says in its result why.
  (void)launch::begin_fed(launched_, wall_time);
  send(input);
  while (!result_) {
    std::array<pollfd, 3> fds = {{{events_.get(), POLLIN, 0},
                                  {drop, POLLIN, 0},
                                  {input.empty() ? -1 : talk_.get(), POLLOUT, 0}}};
    const auto left = std::clamp<int64_t>((end - clock.mono()).count(), 0, 60'000);
    const int count = poll(fds.data(), fds.size(), static_cast<int>(left));
    if (count == 0 && clock.mono() >= end) return lost();
    if (fds[1].revents != 0)
      return Error{Code::kUnavailable, "DROPPED", "nobody waits for it any more"};
    if (fds[2].revents != 0) send(input);
    if (fds[0].revents != 0) TRY(read_events());
  }
  return std::move(*result_);
}

}  // namespace paddock::snippets
