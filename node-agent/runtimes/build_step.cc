#include "node-agent/runtimes/build_step.h"

#include "common/base/append_new.h"
#include "common/base/text.h"
#include "common/contracts/denial_rule.h"
#include "common/contracts/profile.h"
#include "common/os/file.h"
#include "node-agent/runtimes/installer_words.h"

namespace paddock::runtimes {
namespace {

using contracts::MountMode;
using contracts::SandboxResult;

constexpr std::string_view kCaFile = "ca.pem";
constexpr int64_t kKeptOutput = 1 << 20;  // of each stream, for the run's log
constexpr size_t kShownLine = 300;

const std::string& complaint_of(const SandboxResult& result) {
  return result.err.empty() ? result.out : result.err;
}

std::string refused_names(const SandboxResult& result) {
  std::string out;
  std::string why;
  for (const contracts::Denial& denial : result.denials) {
    if (denial.what != contracts::kTriedToLookUp && denial.what != contracts::kTriedToConnect)
      continue;
    out += cat(out.empty() ? "; the sandbox refused: " : ", ", denial.target);
    // The name is an index's own; its address is what the operator has to allow.
    if (denial.target.find(" at ") != std::string::npos)
      why = cat(" (", denial.rule, "; ", denial.remedy, ")");
  }
  return cat(to_utf8_lossy(out.substr(0, kShownLine)), why);
}

}  // namespace

Status give_input(const Build& build, std::string_view name, std::string_view content) {
  return os::write_file_atomic(os::join_path(build.input, name), content, 0644);
}

contracts::LaunchRequest build_launch(const Build& build, std::string_view inside) {
  contracts::LaunchRequest out;
  out.trace_id = build.request.trace_id;
  out.workdir = std::string(contracts::kSandboxWorkspace);
  out.env = contracts::minimal_environment(false);
  out.policy.limits = build.request.policy.limits;
  out.inline_output_bytes = kKeptOutput;
  out.policy.allow_partial = build.request.policy.allow_partial;
  out.mounts = {{build.input, std::string(contracts::kSandboxWorkspace), MountMode::kReadOnly},
                {build.output, std::string(inside), MountMode::kReadWrite}};
  return out;
}

Result<std::string> allow_index(const Build& build, const contracts::PackageIndex& index,
                                contracts::LaunchRequest& launch) {
  launch.policy.network = contracts::NetworkPolicy{true, index.domains()};
  append_new(launch.policy.network->allow_domains, build.config.file_hosts);
  launch.network = build.config.network;
  if (build.config.ca_file.empty()) return std::string();
  const auto pem = os::read_file(build.config.ca_file);
  if (!pem) return unavailable("the operator's packages.caFile cannot be read");
  TRY(give_input(build, kCaFile, *pem));
  return cat(contracts::kSandboxWorkspace, "/", kCaFile);
}

Error unavailable(std::string message) {
  return {Code::kFailedPrecondition, "ENVIRONMENT_UNAVAILABLE", std::move(message)};
}

Error no_source(const Build& build, std::string_view what, std::string_view option,
                std::string_view keys) {
  const std::string& instance = build.config.instance;
  if (instance.empty()) {
    return unavailable(
        cat(what, "; its operator must set ", keys, " in the agent's configuration"));
  }
  const std::string named = instance == "default" ? "" : cat(" --instance ", instance);
  return unavailable(cat(what, "; `paddock up", named,
                         " --packages public` lets it use the public "
                         "one, `paddock up",
                         named, " ", option, "` another"));
}

Error failed(const Build& build, const SandboxResult& result,
             const std::map<std::string, std::string>& places) {
  const std::string said = cat(result.out, "\n", result.err);
  if (const std::string log = installer_log(said); !log.empty()) build.ports.quote(log);
  const std::string verdict = with_places(installer_verdict(complaint_of(result)), places);
  return {Code::kFailedPrecondition, "ENVIRONMENT_FAILED",
          cat("the requirements could not be installed: ", wire::enum_name(result.status),
              verdict.find('\n') == verdict.npos ? " " : "\n", verdict, refused_names(result),
              ca_hint(said, build.config.instance))};
}

}  // namespace paddock::runtimes
