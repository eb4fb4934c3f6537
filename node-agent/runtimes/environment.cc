#include "node-agent/runtimes/environment.h"

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "node-agent/runtimes/python_build.h"
#include "node-agent/runtimes/requirements.h"

namespace paddock::runtimes {
namespace {

constexpr size_t kMaxRequirements = 1 << 20;
constexpr size_t kKeyHex = 12;

Result<std::string> read_requirements(int workspace, const std::string& path) {
  const auto file = os::open_regular_beneath(workspace, path);
  if (!file) {
    return invalid_argument("REQUIREMENTS_MISSING", cat("the workspace has no file ", path),
                            "spec.requirements");
  }
  return os::read_all(file->get(), kMaxRequirements);
}

Result<Environment> for_node(const std::string& file, const EnvironmentPorts& ports) {
  ASSIGN_OR_RETURN(const bool wanted, package_json_names_packages(file));
  if (wanted) {
    return invalid_argument("REQUIREMENTS_UNSUPPORTED",
                            "this node installs no npm packages; bring them along in the workspace",
                            "spec.requirements");
  }
  ports.say("package.json names no packages");
  return Environment{};
}

}  // namespace

std::string environment_key(const std::string& workspace_id, std::string_view requirements) {
  return cat(crypto::sha256_hex(workspace_id).substr(0, kKeyHex), "-",
             crypto::sha256_hex(requirements).substr(0, kKeyHex));
}

Result<Environment> ensure_environment(const EnvironmentConfig& config,
                                       const EnvironmentRequest& request,
                                       const EnvironmentPorts& ports) {
  if (request.requirements.empty()) {
    ports.say("environment: none asked for");
    return Environment{};
  }
  ASSIGN_OR_RETURN(const std::string file,
                   read_requirements(request.workspace, request.requirements));
  const std::string name = os::base_name(request.requirements);
  if (name == "package.json") return for_node(file, ports);
  ASSIGN_OR_RETURN(const Requirements checked, check_requirements(file));
  if (checked.count == 0) {
    ports.say(cat(name, " names nothing; using the host's Python"));
    return Environment{};
  }
  return python_environment(config, request, checked, environment_key(request.workspace_id, file),
                            ports);
}

void sweep_environments(const std::string& dir) {
  const auto names = os::list_dir(dir);
  if (!names) return;
  for (const std::string& name : *names) {
    if (name.starts_with(".building-")) (void)os::remove_tree(os::join_path(dir, name));
  }
}

}  // namespace paddock::runtimes
