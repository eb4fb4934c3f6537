#include "node-agent/host/capabilities.h"

#include <sys/wait.h>

#include <cerrno>

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

}  // namespace

Result<contracts::SandboxProof> prove_sandbox(const std::string& sandbox_program,
                                              const std::map<std::string, std::string>& own) {
  ASSIGN_OR_RETURN(os::Pipe pipe, os::make_pipe());
  os::SpawnOptions options;
  options.argv = {sandbox_program, "probe"};
  options.env = {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}};
  if (const auto pod = own.find(kPodSays); pod != own.end()) options.env.insert(*pod);
  options.stdout_fd = pipe.write.get();
  const auto pid = os::spawn(options);
  if (!pid) return unavailable(pid.error().describe());
  pipe.write.reset();
  const auto text = os::read_all(pipe.read.get(), kMaxReport);
  pipe.read.reset();
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
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
