#include "node-agent/runtimes/node_build.h"

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::runtimes {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxResult;
using contracts::SandboxStatus;

constexpr const char* kPrefix = "/packages";

LaunchRequest npm_install(const Build& build, const contracts::PackageIndex& index, bool locked) {
  LaunchRequest launch = build_launch(build, kPrefix);
  launch.command = {"npm", "install", "--ignore-scripts", "--prefix", kPrefix, "--registry",
                    index.url, "--cache", cat(contracts::kSandboxTmp, "/npm"),
                    // The host's configuration has no say; home and prefix are ours and hold none.
                    "--globalconfig", "/dev/null", locked ? "--package-lock" : "--no-package-lock",
                    "--no-save", "--no-audit", "--no-fund", "--no-update-notifier", "--no-progress",
                    "--loglevel", "error",
                    // What the sandbox refuses stays refused, so npm shall not wait minutes before
                    // it gives up.
                    "--fetch-retries", "2", "--fetch-retry-mintimeout", "500",
                    "--fetch-retry-maxtimeout", "2000"};
  return launch;
}

}  // namespace

Status build_node(const Build& build, const requirements::NodePackages& packages) {
  if (build.config.npm_registry.empty()) {
    return no_source(build, "package.json names packages, and this node has no registry",
                     "--npm-registry URL", "packages.npmRegistry");
  }
  ASSIGN_OR_RETURN(const contracts::PackageIndex registry,
                   contracts::parse_package_index(build.config.npm_registry));
  TRY(os::write_file_atomic(os::join_path(build.output, "package.json"), packages.text, 0644));
  if (!packages.lock.empty())
    TRY(os::write_file_atomic(os::join_path(build.output, "package-lock.json"), packages.lock,
                              0644));
  LaunchRequest launch = npm_install(build, registry, !packages.lock.empty());
  ASSIGN_OR_RETURN(const std::string ca_file, allow_index(build, registry, launch));
  if (!ca_file.empty()) launch.command.insert(launch.command.end(), {"--cafile", ca_file});
  ASSIGN_OR_RETURN(const SandboxResult result, build.ports.launch(launch));
  if (result.status == SandboxStatus::kOk) return {};
  return failed(build, result);
}

}  // namespace paddock::runtimes
