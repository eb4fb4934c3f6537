#include "node-agent/runtimes/environment.h"

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/requirements/named_file.h"
#include "common/requirements/package_json.h"
#include "common/requirements/package_lock.h"
#include "common/requirements/requirements.h"
#include "node-agent/runtimes/kept_environment.h"
#include "node-agent/runtimes/node_build.h"
#include "node-agent/runtimes/python_build.h"
#include "node-agent/runtimes/source_marks.h"

namespace paddock::runtimes {
namespace {

constexpr size_t kMaxRequirements = 1 << 20;
constexpr const char* kAlone =
    "environment: Python will see what the requirements name, and none of the host's packages";

Result<std::string> read_requirements(int workspace, const std::string& path) {
  const auto file = os::open_linked_file_beneath(workspace, path);  // a project may have links
  if (!file) {
    return invalid_argument("REQUIREMENTS_MISSING", cat("the workspace has no file ", path),
                            "spec.requirements");
  }
  return os::read_all(file->fd.get(), kMaxRequirements);
}

// Beside package.json; nothing: there is none.
std::optional<std::string> read_lock(const EnvironmentRequest& request) {
  constexpr size_t kMostLock = 8 << 20;
  std::string path = request.requirements;
  path.replace(path.size() - os::base_name(path).size(), std::string::npos, "package-lock.json");
  const auto file = os::open_linked_file_beneath(request.workspace, path);
  if (!file) return std::nullopt;
  auto text = os::read_all(file->fd.get(), kMostLock);
  return text ? std::move(*text) : std::string();
}

std::string counted(int count, std::string_view what) {
  return cat(count, " ", what, count == 1 ? "" : "s");
}

EnvironmentId id_of(Runtime runtime, const EnvironmentRequest& request, std::string_view file,
                    const std::vector<std::string>& sources) {
  return {runtime, environment_key(request.workspace_id, file),
          crypto::sha256_hex(cat(join(sources, "\n"), "\n", request.workspace_id, "\n", file))};
}

Result<std::optional<Wanted>> python_wanted(const EnvironmentConfig& config,
                                            const EnvironmentRequest& request,
                                            const EnvironmentPorts& ports) {
  const auto read = [&](const std::string& path) {
    return read_requirements(request.workspace, path);
  };
  ASSIGN_OR_RETURN(requirements::Requirements checked,
                   requirements::check_python(request.requirements, read, config.python_index));
  for (const std::string& note : checked.notes) ports.say(cat("environment: ", note));
  if (checked.count == 0) {
    ports.say(cat("environment: ", os::base_name(request.requirements),
                  " names nothing; using the host's Python"));
    return std::optional<Wanted>();
  }
  Wanted out;
  out.id = id_of(Runtime::kPython, request, checked.content,
                 {"python", program_mark("python3"), config.python_index, config.wheel_dir,
                  wheels_mark(config.wheel_dir)});
  out.count = counted(checked.count, "requirement");
  out.inside = contracts::kSandboxVenv;
  out.build = [checked = std::move(checked)](const Build& build) {
    return build_python(build, checked);
  };
  return std::optional<Wanted>(std::move(out));
}

Result<std::optional<Wanted>> node_wanted(const EnvironmentConfig& config,
                                          const EnvironmentRequest& request,
                                          const EnvironmentPorts& ports) {
  ASSIGN_OR_RETURN(const std::string file,
                   read_requirements(request.workspace, request.requirements));
  ASSIGN_OR_RETURN(requirements::NodePackages checked, requirements::check_package_json(file));
  if (checked.count == 0) {
    ports.say("environment: package.json names no packages");
    return std::optional<Wanted>();
  }
  std::string content = file;
  if (const auto lock = read_lock(request); lock) {
    ASSIGN_OR_RETURN(checked.lock, requirements::check_package_lock(*lock, checked));
    content += cat("\n", *lock);
    ports.say("environment: with the versions of package-lock.json");
  }
  if (program_mark("npm").empty()) {
    return unavailable("this node has no npm; its operator must install the package npm");
  }
  Wanted out;
  out.id =
      id_of(Runtime::kNode, request, content, {"node", program_mark("node"), config.npm_registry});
  out.count = counted(checked.count, "package");
  out.inside = contracts::kSandboxNodeModules;
  out.part = "node_modules";
  out.build = [checked = std::move(checked)](const Build& build) {
    return build_node(build, checked);
  };
  return std::optional<Wanted>(std::move(out));
}

}  // namespace

Result<Environment> ensure_environment(const EnvironmentConfig& config,
                                       const EnvironmentRequest& given,
                                       const EnvironmentPorts& ports) {
  ASSIGN_OR_RETURN(auto named, requirements::named_file(given.requirements));
  const bool node = named.kind == requirements::FileKind::kPackageJson;
  EnvironmentRequest request = given;
  if (named.path != given.requirements && !read_requirements(given.workspace, named.path))
    return requirements::lacks_its_file(given.requirements, named);
  request.requirements = std::move(named.path);
  ASSIGN_OR_RETURN(auto wanted, node ? node_wanted(config, request, ports)
                                     : python_wanted(config, request, ports));
  if (!wanted) return Environment{};
  if (!node) ports.say(kAlone);
  return find_or_make(config, request, ports, std::move(*wanted));
}

}  // namespace paddock::runtimes
