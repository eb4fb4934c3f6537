#include "node-agent/runtimes/python_build.h"

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/runtimes/python_seed.h"

namespace paddock::runtimes {
namespace {

using contracts::LaunchMount;
using contracts::LaunchRequest;
using contracts::MountMode;
using contracts::SandboxResult;
using contracts::SandboxStatus;

constexpr const char* kWheels = "/wheels";
constexpr const char* kRequirements = "req";
constexpr const char* kConstraints = "con";

// A folder of wheels that is not there, on this node, is no fault of the requirements. Nor is one
// that is the only source and has nothing in it: what is mounted there may be missing.
Status check_wheels(const Build& build) {
  if (build.config.wheel_dir.empty()) return {};
  const auto names = os::list_dir(build.config.wheel_dir);
  if (!names.ok()) return unavailable("the operator's wheelDir cannot be read on this node");
  if (!names->empty() || !build.config.python_index.empty()) return {};
  return unavailable(
      "the operator's wheelDir is empty on this node; if it is a mount, mount it again");
}

// Where pip looks: the operator's folder, the operator's index, and nowhere else.
Status add_sources(const Build& build, LaunchRequest& launch) {
  std::vector<std::string>& argv = launch.command;
  if (build.config.python_index.empty()) {
    argv.push_back("--no-index");
  } else {
    ASSIGN_OR_RETURN(const contracts::PackageIndex index,
                     contracts::parse_package_index(build.config.python_index));
    ASSIGN_OR_RETURN(const std::string ca_file, allow_index(build, index, launch));
    argv.insert(argv.end(), {"--index-url", index.url});
    if (!index.tls) argv.insert(argv.end(), {"--trusted-host", index.domain()});
    if (!ca_file.empty()) argv.insert(argv.end(), {"--cert", ca_file});
  }
  if (build.config.wheel_dir.empty()) return {};
  launch.mounts.push_back(LaunchMount{build.config.wheel_dir, kWheels, MountMode::kReadOnly});
  argv.insert(argv.end(), {"--find-links", kWheels});
  return {};
}

Status install(const Build& build, const requirements::Requirements& wanted) {
  LaunchRequest launch = build_launch(build, contracts::kSandboxVenv);
  launch.command = {cat(contracts::kSandboxVenv, "/bin/pip"), "install", "--only-binary",
                    ":all:", "--no-build-isolation"};
  TRY(add_sources(build, launch));
  for (const char* option :
       {"--isolated", "--no-input", "--no-cache-dir", "--disable-pip-version-check", "-r"}) {
    launch.command.emplace_back(option);
  }
  launch.command.push_back(cat(contracts::kSandboxWorkspace, "/", kRequirements));
  if (!wanted.constraints.empty())
    launch.command.insert(launch.command.end(),
                          {"-c", cat(contracts::kSandboxWorkspace, "/", kConstraints)});
  ASSIGN_OR_RETURN(const SandboxResult result, build.ports.launch(launch));
  if (result.status == SandboxStatus::kOk) return {};
  return failed(build, result, wanted.places);
}

}  // namespace

Status build_python(const Build& build, const requirements::Requirements& wanted) {
  if (build.config.wheel_dir.empty() && build.config.python_index.empty()) {
    return no_source(build, "the requirements name packages, and this node has no source of wheels",
                     "--wheel-dir DIR` or `--python-index URL", "packages.pythonIndex or wheelDir");
  }
  TRY(check_wheels(build));
  TRY(copy_python_seed(build));
  TRY(give_input(build, kRequirements, wanted.text));
  if (!wanted.constraints.empty()) TRY(give_input(build, kConstraints, wanted.constraints));
  return install(build, wanted);
}

}  // namespace paddock::runtimes
