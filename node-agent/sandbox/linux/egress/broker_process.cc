#include "node-agent/sandbox/linux/egress/broker_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>

#include "common/base/text.h"
#include "common/os/process.h"
#include "common/wire/json.h"

namespace paddock::sandbox {
namespace {

// The processor that a busy host gives it next may be a quarter of a minute away.
constexpr int kPatienceMs = 30'000;
constexpr size_t kMostReport = size_t{8} << 20;

Error unavailable(std::string_view why) {
  return {Code::kFailedPrecondition, "NETWORK_UNAVAILABLE",
          cat("the network broker did not start: ", why)};
}

struct Ends {
  os::Fd ours;
  os::Fd theirs;
};

Result<Ends> make_ends(int type) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0)
    return unavailable(system_error("its sockets", errno).message);
  return Ends{os::Fd(ends[0]), os::Fd(ends[1])};
}

// Reads what comes next; empty at the end, or when nothing comes for too long.
std::string read_some(int fd) {
  pollfd readable{fd, POLLIN, 0};
  if (poll(&readable, 1, kPatienceMs) <= 0) return {};
  std::array<char, 16 << 10> bytes;
  const ssize_t n = recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  return n > 0 ? std::string(bytes.data(), static_cast<size_t>(n)) : std::string();
}

std::string read_to_end(int fd) {
  std::string out;
  while (out.size() <= kMostReport) {
    const std::string more = read_some(fd);
    if (more.empty()) break;
    out += more;
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<BrokerProcess>> BrokerProcess::start(const BrokerConfig& config,
                                                            int network) {
  ASSIGN_OR_RETURN(Ends talk, make_ends(SOCK_STREAM));
  ASSIGN_OR_RETURN(Ends sandbox, make_ends(SOCK_SEQPACKET));
  ASSIGN_OR_RETURN(os::Pipe settings, os::make_pipe());
  os::SpawnOptions options;
  options.keep_fds = {settings.read.get(), talk.theirs.get(), sandbox.theirs.get()};
  if (network >= 0) options.keep_fds.push_back(network);
  options.argv = {"/proc/self/exe", "broker"};
  for (const int fd : options.keep_fds) options.argv.push_back(cat(fd));
  const auto pid = os::spawn(options);
  if (!pid.ok()) return unavailable(pid.error().message);
  std::unique_ptr<BrokerProcess> broker(
      new BrokerProcess(*pid, std::move(talk.ours), std::move(sandbox.ours)));
  talk.theirs.reset();
  sandbox.theirs.reset();
  settings.read.reset();
  TRY(os::write_all(settings.write.get(), wire::encode_json(config)));
  settings.write.reset();
  TRY(broker->wait_until_ready());
  return broker;
}

Status BrokerProcess::wait_until_ready() {
  const std::string said = read_some(talk_.get());
  if (said == "R") return {};
  return unavailable(said.empty() ? "it ended" : std::string_view(said));
}

std::optional<BrokerReport> BrokerProcess::finish() {
  if (pid_ < 0) return std::nullopt;
  sandbox_end_.reset();
  shutdown(talk_.get(), SHUT_WR);
  const std::string text = read_to_end(talk_.get());
  end();
  const auto value = wire::parse_json(text, {.max_bytes = kMostReport});
  if (!value.ok()) return std::nullopt;
  auto report = wire::decode<BrokerReport>(*value);
  return report.ok() ? std::optional(std::move(*report)) : std::nullopt;
}

void BrokerProcess::end() {
  kill(pid_, SIGKILL);  // ours, and not yet waited for: the pid is still its own
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  talk_.reset();
}

BrokerProcess::~BrokerProcess() {
  if (pid_ >= 0) end();
}

}  // namespace paddock::sandbox
