#include "node-agent/runtimes/python_seed.h"

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "node-agent/runtimes/installer_words.h"
#include "node-agent/runtimes/kept_environment.h"
#include "node-agent/runtimes/source_marks.h"

namespace paddock::runtimes {
namespace {

using contracts::LaunchRequest;
using contracts::MountMode;
using contracts::SandboxResult;
using contracts::SandboxStatus;

constexpr const char* kSeed = "/seed";
// Where Debian's `venv` takes pip from; elsewhere it is a part of Python itself.
constexpr const char* kPipOfTheHost = "/usr/share/python-wheels";

Status launched(const Build& build, const LaunchRequest& launch) {
  ASSIGN_OR_RETURN(const SandboxResult result, build.ports.launch(launch));
  if (result.status == SandboxStatus::kOk) return {};
  if ((result.out + result.err).find("ensurepip is not") != std::string::npos) {
    return unavailable(
        "this node's Python cannot make environments; its operator must install the package "
        "python3-venv");
  }
  return unavailable(
      cat("this node could not make a Python environment: ", wire::enum_name(result.status), " ",
          result.reason, " ", installer_verdict(result.out + result.err)));
}

Status make_seed(const Build& build) {
  LaunchRequest launch = build_launch(build, contracts::kSandboxVenv);
  launch.command = {"python3", "-m", "venv", std::string(contracts::kSandboxVenv)};
  return launched(build, launch);
}

Wanted seed() {
  Wanted out;
  // No workspace has this identity: theirs are `<namespace>/<name>`.
  out.id = {
      Runtime::kPython, environment_key("", "seed"),
      crypto::sha256_hex(cat("seed\n", program_mark("python3"), "\n", wheels_mark(kPipOfTheHost)))};
  out.count = "pip alone";
  out.inside = contracts::kSandboxVenv;
  out.build = make_seed;
  return out;
}

}  // namespace

Status copy_python_seed(const Build& build) {
  EnvironmentPorts quiet = build.ports;
  quiet.say = [](const std::string&) {};  // the run's log speaks of the run's own environment
  ASSIGN_OR_RETURN(const Environment made,
                   find_or_make(build.config, build.request, quiet, seed()));
  LaunchRequest launch = build_launch(build, contracts::kSandboxVenv);
  launch.mounts.push_back({made.path, kSeed, MountMode::kReadOnly});
  // The copy keeps the files' times, by which Python tells whether its compiled files are up to
  // date. Every `cp` has these options, also that of macOS.
  launch.command = {"cp", "-R", "-P", "-p", cat(kSeed, "/."), std::string(contracts::kSandboxVenv)};
  return launched(build, launch);
}

}  // namespace paddock::runtimes
