#include "node-agent/host/capabilities.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "common/os/fd.h"
#include "common/os/process.h"
#include "common/wire/json.h"

namespace paddock::agent {
namespace {

constexpr size_t kMaxReport = 1 << 20;
constexpr const char* kPodSays = "KUBERNETES_SERVICE_HOST";  // sandbox/selftest/container_kind.h

Error unavailable(const std::string& detail) {
  return Error{Code::kFailedPrecondition, "SANDBOX_UNAVAILABLE",
               "paddock-sandbox could not say what this host can enforce"}
      .within(detail);
}

constexpr int kPatienceMs = 5'000;  // for what ends its sandboxes and leaves

Error interrupted() {
  return {Code::kDeadlineExceeded, "INTERRUPTED", "the agent ends, and the proof with it"};
}

// Reads all that the program prints; an error if `stop` can be read before the end.
Result<std::string> read_report(int from, int stop) {
  std::string out;
  std::array<char, 64 << 10> piece;
  std::array<pollfd, 2> fds = {pollfd{from, POLLIN, 0}, pollfd{stop, POLLIN, 0}};
  while (out.size() <= kMaxReport) {
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR)
      return system_error("waiting for a proof", errno);
    if (fds[1].revents != 0) return interrupted();
    if (fds[0].revents == 0) continue;
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading a proof", errno);
    if (got == 0) return out;
    out.append(piece.data(), static_cast<size_t>(got));
  }
  return Error{Code::kTooLarge, "DOCUMENT_TOO_LARGE", "the proof is too long"};
}

// Ends the program. It ends the sandbox that it is trying, and tries no other, since nobody reads
// what it prints.
void end_program(pid_t pid) {
  const auto identity = os::identify(pid);
  if (!identity) return;  // gone already
  (void)os::signal_process(*identity, SIGTERM);
  if (!os::wait_gone(*identity, kPatienceMs)) (void)os::signal_process(*identity, SIGKILL);
}

}  // namespace

Result<contracts::SandboxProof> prove_sandbox(const std::string& sandbox_program,
                                              const std::map<std::string, std::string>& own,
                                              int stop) {
  ASSIGN_OR_RETURN(os::Pipe pipe, os::make_pipe());
  os::SpawnOptions options;
  options.argv = {sandbox_program, "probe"};
  options.env = {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}};
  if (const auto pod = own.find(kPodSays); pod != own.end()) options.env.insert(*pod);
  options.stdout_fd = pipe.write.get();
  const auto pid = os::spawn(options);
  if (!pid) return unavailable(pid.error().describe());
  pipe.write.reset();
  const auto text = read_report(pipe.read.get(), stop);
  pipe.read.reset();
  if (!text) end_program(*pid);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!text && text.error().reason == "INTERRUPTED") return text.error();
  if (!text) return unavailable(text.error().describe());
  const auto document = wire::parse_json(*text);
  if (!document) return unavailable(document.error().describe());
  auto proof = wire::decode<contracts::SandboxProof>(*document);
  if (!proof) return unavailable(proof.error().describe());
  if (proof->canaries.empty()) return unavailable("it tried nothing");
  return proof;
}

contracts::SandboxProof unproven(const Error& why) {
  contracts::Canary canary;
  canary.name = "launcher";
  canary.capability = "sandbox";
  canary.attempt = "prove what the sandbox can enforce";
  canary.expected = "canaries that were tried";
  canary.got = why.reason;
  canary.remedy = "install paddock's programs again, all of one version";
  return {{{"sandbox", false, "", why.message}}, {std::move(canary)}};
}

}  // namespace paddock::agent
