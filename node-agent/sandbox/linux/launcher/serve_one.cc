#include "node-agent/sandbox/linux/launcher/serve_one.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <optional>

#include "common/base/text.h"
#include "common/os/lock_file.h"
#include "common/os/packet_socket.h"
#include "node-agent/sandbox/linux/kernel/loopback.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/launcher/prepared_sandbox.h"
#include "node-agent/sandbox/result/request.h"

namespace paddock::sandbox {
namespace {

// The descriptors of one request, as contracts/launch.h says.
struct ServedOrder {
  os::Fd request;
  os::Fd events;
  std::optional<os::LockFile> lock;
  os::Fd input;  // of an attached run, unless ordered ahead
  bool ahead = false;
};

constexpr int kOrderMs = 30'000;  // how long a client that has connected may say nothing

Result<ServedOrder> receive_order(const os::Fd& client) {
  pollfd said{client.get(), POLLIN, 0};
  if (poll(&said, 1, kOrderMs) <= 0)
    return Error{Code::kDeadlineExceeded, "NO_ORDER", "no order came in time"};
  // Read the packet even if it comes from a stranger: closing a socket with unread bytes would
  // destroy our answer.
  ASSIGN_OR_RETURN(os::Packet packet, os::receive_packet(client.get()));
  ASSIGN_OR_RETURN(const uid_t user, os::peer_user(client.get()));
  if (user != geteuid() && user != 0)
    return Error{Code::kPermissionDenied, "NOT_THE_OWNER", "only the server's own user is served"};
  // The request is read to its end, and only a regular file is sure to have one.
  const bool ahead = packet.bytes == contracts::kPrelaunchOrder;
  const bool with_input = packet.bytes == contracts::kLaunchAttachedOrder;
  const size_t fewest = with_input ? 3 : 2;
  const size_t most = ahead ? 2 : 3;
  if ((!ahead && !with_input && packet.bytes != contracts::kLaunchOrder) ||
      packet.fds.size() < fewest || packet.fds.size() > most || !os::is_regular_file(packet.fds[0]))
    return invalid_argument("BAD_ORDER", "this is not an order of this server's version");
  ServedOrder out{
      .request = std::move(packet.fds[0]), .events = std::move(packet.fds[1]), .ahead = ahead};
  if (with_input) {
    out.input = std::move(packet.fds[2]);
  } else if (packet.fds.size() == 3) {
    ASSIGN_OR_RETURN(out.lock, os::LockFile::take(std::move(packet.fds[2])));
  }
  return out;
}

// Whether nothing of the run is left in the network namespace that was lent to it.
bool network_is_as_new(const LauncherContext& launcher) {
  return launcher.in_empty_network && network_has_no_socket() &&
         network_books() == launcher.empty_network && take_down_loopback().ok();
}

// Prepares a sandbox, which saves the run time. Returns nullptr where that fails: the run then
// makes its own sandbox and reports the error.
std::unique_ptr<PreparedSandbox> prepare(const LauncherContext& launcher) {
  if (!launcher.shared) return nullptr;
  auto out = PreparedSandbox::prepare(launcher);
  return out.ok() ? std::move(*out) : nullptr;
}

// Waits until the client has hung up: what this process does next would take processor time from a
// client that still handles the result. A packet that the client sent before it knew that the run
// was over is read and dropped.
void let_client_leave(const os::Fd& client, const Clock& clock) {
  constexpr Millis kMost{1'000};
  const MonoTime until = clock.mono() + kMost;
  for (MonoTime now = clock.mono(); now < until; now = clock.mono()) {
    pollfd left{client.get(), POLLIN, 0};
    if (poll(&left, 1, static_cast<int>((until - now).count())) <= 0) return;
    if (!os::receive_packet(client.get()).ok()) return;
  }
}

// A waiting process ends with its server; one with a run stays.
bool outlive_server(const ReadyContext& context, bool outlive) {
  if (prctl(PR_SET_PDEATHSIG, outlive ? 0 : SIGKILL) != 0) return false;
  return outlive || getppid() == context.server;
}

// Serves one order. Returns whether what was lent to this process may be lent again. The caller
// closes `client` when all is over.
bool serve_order(const ReadyContext& context, std::unique_ptr<PreparedSandbox> prepared,
                 const Clock& clock, os::Fd& client) {
  const auto accepted = os::accept_packets(context.listener);
  const pid_t self = getpid();
  if (!accepted || write(context.taken, &self, sizeof self) != sizeof self) return false;
  client.reset(fcntl(accepted->get(), F_DUPFD_CLOEXEC, 3));
  outlive_server(context, true);
  close(context.listener);
  close(context.taken);
  auto order = receive_order(client);
  const std::string reply = order.ok() ? cat(contracts::kLaunchAccepted, self)
                                       : cat(contracts::kLaunchRefused, order.error().reason, ": ",
                                             order.error().message);
  forget_cancel_signals();
  // A client that has left by now was never told that its order is taken, and may give it again.
  if (!os::send_packet(client.get(), reply).ok() || !order.ok()) return false;
  std::optional<EventWriter> events(std::in_place, std::move(order->events), clock);
  const bool fed = order->ahead || order->input.valid();
  Feed feed{std::move(order->input), fed ? client.get() : -1, order->ahead};
  const auto given = read_request(order->request);
  order->request.reset();  // it may be a large file in memory
  // The answer is an error if nobody can read the events; there is nobody to tell.
  (void)answer(given, *events, [&](const auto& request) {
    return launch_with(context.launcher, std::move(prepared), std::move(feed), request, *events,
                       clock);
  });
  events.reset();  // their reader now sees the end of the file
  if (fed) let_client_leave(client, clock);
  context.launcher.execs.reset();
  context.launcher.used.reset();
  return network_is_as_new(context.launcher);
}

}  // namespace

[[noreturn]] void serve_one(const ReadyContext& context, const Clock& clock) {
  setsid();  // a signal to the server's group is not for its runs
  if (!outlive_server(context, false)) _exit(kUncleanExit);
  os::Fd client;
  auto prepared = prepare(context.launcher);
  // Set it once more: ActingAs, which prepare() uses, clears the signal.
  if (!outlive_server(context, false)) _exit(kUncleanExit);
  const bool clean = serve_order(context, std::move(prepared), clock, client);
  _exit(clean ? kCleanExit : kUncleanExit);
}

}  // namespace paddock::sandbox
