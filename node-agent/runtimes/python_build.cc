#include "node-agent/runtimes/python_build.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/lock_file.h"

namespace paddock::runtimes {
namespace {

using contracts::LaunchMount;
using contracts::LaunchRequest;
using contracts::MountMode;
using contracts::SandboxResult;
using contracts::SandboxStatus;

constexpr const char* kMarker = ".paddock-environment";
constexpr const char* kWheels = "/wheels";
constexpr size_t kShownOutput = 4096;

// Where one environment and what belongs to it are.
struct Places {
  std::string venv;
  std::string lock;
  std::string building;  // holds venv/ and input/ while it is built
  std::string built() const { return os::join_path(building, "venv"); }
  std::string input() const { return os::join_path(building, "input"); }
};

Places places_of(const std::string& dir, const std::string& key) {
  return {os::join_path(dir, key), os::join_path(dir, cat(key, ".lock")),
          os::join_path(dir, cat(".building-", key))};
}

// bin/activate alone proves nothing: venv writes it before pip runs.
bool complete(const std::string& venv) {
  return os::exists(os::join_path(venv, kMarker)) &&
         os::exists(os::join_path(venv, "bin/activate"));
}

Error unavailable(std::string message) {
  return {Code::kFailedPrecondition, "ENVIRONMENT_UNAVAILABLE", std::move(message)};
}

std::string tail_of(const std::string& text) {
  return text.size() <= kShownOutput ? text : text.substr(text.size() - kShownOutput);
}

// The last line that says something: pip puts its verdict there.
std::string last_line(const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    if (!trim(line).empty() && line.find("notice") == std::string::npos) out = trim(line);
  }
  return to_utf8_lossy(out.substr(0, 300));
}

LaunchRequest build_request(const EnvironmentRequest& request, const Places& places) {
  LaunchRequest out;
  out.trace_id = request.trace_id;
  out.workdir = std::string(contracts::kSandboxWorkspace);
  out.env = contracts::minimal_environment(false);
  out.policy.limits = request.policy.limits;
  out.policy.allow_partial = request.policy.allow_partial;
  out.mounts = {{places.input(), std::string(contracts::kSandboxWorkspace), MountMode::kReadOnly},
                {places.built(), std::string(contracts::kSandboxVenv), MountMode::kReadWrite}};
  return out;
}

Status make_venv(const EnvironmentRequest& request, const Places& places,
                 const EnvironmentPorts& ports) {
  LaunchRequest launch = build_request(request, places);
  launch.command = {"python3", "-m", "venv", std::string(contracts::kSandboxVenv)};
  ASSIGN_OR_RETURN(const SandboxResult result, ports.launch(launch));
  if (result.status == SandboxStatus::kOk) return {};
  if ((result.out + result.err).find("ensurepip is not") != std::string::npos) {
    return unavailable(
        "this node's Python cannot make environments; its operator must install the package "
        "python3-venv");
  }
  return unavailable(
      cat("this node could not make a Python environment: ", wire::enum_name(result.status), " ",
          result.reason, " ", last_line(result.out + result.err)));
}

Status install(const EnvironmentConfig& config, const EnvironmentRequest& request,
               const Places& places, const EnvironmentPorts& ports) {
  LaunchRequest launch = build_request(request, places);
  launch.mounts.push_back(LaunchMount{config.wheel_dir, kWheels, MountMode::kReadOnly});
  launch.command = {cat(contracts::kSandboxVenv, "/bin/pip"),
                    "install",
                    "--only-binary",
                    ":all:",
                    "--no-build-isolation",
                    "--no-index",
                    "--find-links",
                    kWheels,
                    "--no-input",
                    "--no-cache-dir",
                    "--disable-pip-version-check",
                    "-r",
                    cat(contracts::kSandboxWorkspace, "/req")};
  ASSIGN_OR_RETURN(const SandboxResult result, ports.launch(launch));
  if (result.status == SandboxStatus::kOk) return {};
  ports.say(to_utf8_lossy(tail_of(result.err.empty() ? result.out : result.err)));
  return Error{Code::kFailedPrecondition, "ENVIRONMENT_FAILED",
               cat("the requirements could not be installed: ", wire::enum_name(result.status), " ",
                   last_line(result.err))};
}

Status prepare_folders(const EnvironmentConfig& config, const Requirements& requirements,
                       const Places& places) {
  TRY(os::remove_tree(places.building));
  TRY(os::make_dirs(places.built(), 0755));
  TRY(os::make_dirs(places.input(), 0755));
  TRY(os::write_file_atomic(os::join_path(places.input(), "req"), requirements.text, 0644));
  if (!config.sandbox_uid) return {};
  const gid_t group = *config.sandbox_uid;
  if (::chown(places.built().c_str(), *config.sandbox_uid, group) != 0) {
    return system_error("giving the environment's folder to its builder", errno);
  }
  return {};
}

// On disk first, then visible: a power cut must not leave a complete-looking shell.
Status publish(const Places& places, const std::string& key) {
  TRY(os::write_file_atomic(os::join_path(places.built(), kMarker), cat(key, "\n"), 0644));
  const os::Fd folder(::open(places.built().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || ::syncfs(folder.get()) != 0) {
    return system_error("writing the environment to disk", errno);
  }
  TRY(os::remove_tree(places.venv));
  if (::rename(places.built().c_str(), places.venv.c_str()) != 0) {
    return system_error("publishing the environment", errno);
  }
  return {};
}

Status build(const EnvironmentConfig& config, const EnvironmentRequest& request,
             const Requirements& requirements, const Places& places, const std::string& key,
             const EnvironmentPorts& ports) {
  TRY(prepare_folders(config, requirements, places));
  TRY(make_venv(request, places, ports));
  TRY(install(config, request, places, ports));
  return publish(places, key);
}

}  // namespace

Result<Environment> python_environment(const EnvironmentConfig& config,
                                       const EnvironmentRequest& request,
                                       const Requirements& requirements, const std::string& key,
                                       const EnvironmentPorts& ports) {
  const Places places = places_of(config.dir, key);
  bool told = false;
  while (!complete(places.venv)) {
    if (config.wheel_dir.empty()) {
      return unavailable(
          "the requirements name packages, and this node has no wheel folder; its operator must "
          "set "
          "wheelDir in the agent's configuration");
    }
    TRY(os::make_dirs(config.dir));
    auto lock = os::LockFile::acquire(places.lock);
    if (!lock) {
      if (lock.error().reason != "LOCK_HELD") return std::move(lock).error();
      if (!std::exchange(told, true))
        ports.say(cat("environment ", key, ": waiting for its builder"));
      if (!ports.wait())
        return Error{Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
      continue;
    }
    if (complete(places.venv)) break;
    ports.say(cat("environment: cache miss, creating ", key, " (", requirements.count,
                  requirements.count == 1 ? " requirement)" : " requirements)"));
    const Status built = build(config, request, requirements, places, key, ports);
    (void)os::remove_tree(places.building);
    TRY(built);
    ports.say("environment: ready");
    return Environment{places.venv, false};
  }
  ports.say(cat("environment: cache hit, ", key));
  return Environment{places.venv, true};
}

}  // namespace paddock::runtimes
