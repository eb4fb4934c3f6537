#include "node-agent/runtimes/environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/os/file_times.h"
#include "common/requirements/named_file.h"
#include "common/requirements/package_json.h"
#include "common/requirements/package_lock.h"
#include "common/requirements/requirements.h"
#include "node-agent/runtimes/node_build.h"
#include "node-agent/runtimes/python_build.h"

namespace paddock::runtimes {
namespace {

constexpr size_t kMaxRequirements = 1 << 20;
constexpr const char* kAlone =
    "environment: Python will see what the requirements name, and none of the host's packages";

// What is to be built, decided from the workspace's file.
struct Wanted {
  EnvironmentId id;
  std::string count;  // "1 requirement"
  std::string inside;
  std::string part;  // of the environment that the sandbox sees
  std::function<Status(const Build&)> build;
};

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

// Changes when the program that an environment was built for is another one.
std::string program_mark(std::string_view name) {
  for (const std::string& dir : split(contracts::minimal_environment(false).at("PATH"), ':')) {
    struct stat stat = {};
    if (::stat(os::join_path(dir, name).c_str(), &stat) != 0) continue;
    const timespec written = os::modified_at(stat);
    return cat(dir, ":", stat.st_size, ":", written.tv_sec, ":", written.tv_nsec);
  }
  return {};
}

// Changes when a wheel of the operator's folder is another one, also of the same name.
std::string wheels_mark(const std::string& dir) {
  if (dir.empty()) return {};
  const auto names = os::list_dir(dir);
  std::vector<std::string> marks;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    struct stat stat = {};
    if (!name.ends_with(".whl") || ::stat(os::join_path(dir, name).c_str(), &stat) != 0) continue;
    const timespec written = os::modified_at(stat);
    marks.push_back(cat(name, "/", stat.st_size, "/", written.tv_sec, "/", written.tv_nsec));
  }
  std::ranges::sort(marks);
  return crypto::sha256_hex(join(marks, "\n"));
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

Status prepare_folders(const EnvironmentConfig& config, const EnvironmentPlace& place) {
  TRY(os::remove_tree(place.building));
  TRY(os::make_dirs(place.built(), 0755));
  TRY(os::make_dirs(place.input(), 0755));
  if (!config.sandbox_uid) return {};
  if (::chown(place.built().c_str(), *config.sandbox_uid, *config.sandbox_uid) != 0) {
    return system_error("giving the environment's folder to its builder", errno);
  }
  return {};
}

Status build(const EnvironmentConfig& config, const EnvironmentRequest& request,
             const EnvironmentPorts& ports, const Wanted& wanted) {
  const EnvironmentPlace place(config.dir, wanted.id.runtime, wanted.id.key);
  ASSIGN_OR_RETURN(const bool room, make_room(config.dir, config.min_free));
  if (!room) {
    return unavailable(cat("this node's disk has less than ", format_bytes(config.min_free),
                           " free for environments; its operator must make room"));
  }
  TRY(prepare_folders(config, place));
  TRY(wanted.build(Build{config, request, ports, place.input(), place.built()}));
  return publish_environment(config.dir, wanted.id);
}

Environment found(const EnvironmentConfig& config, const Wanted& wanted, bool cached,
                  EnvironmentLease lease) {
  const EnvironmentPlace place(config.dir, wanted.id.runtime, wanted.id.key);
  Environment out;
  out.path = wanted.part.empty() ? place.path : os::join_path(place.path, wanted.part);
  out.inside = wanted.inside;
  out.python = wanted.id.runtime == Runtime::kPython;
  out.cached = cached;
  out.lease.emplace(std::move(lease));
  return out;
}

// One look: the environment as it is, or built now; nothing while somebody else has it.
Result<std::optional<Environment>> find_or_build(const EnvironmentConfig& config,
                                                 const EnvironmentRequest& request,
                                                 const EnvironmentPorts& ports,
                                                 const Wanted& wanted) {
  const std::string& key = wanted.id.key;
  ASSIGN_OR_RETURN(auto lease, lease_environment(config.dir, wanted.id, ports.now));
  if (lease) {
    ports.say(cat("environment: cache hit, ", key));
    return std::optional(found(config, wanted, true, std::move(*lease)));
  }
  const EnvironmentPlace place(config.dir, wanted.id.runtime, key);
  ASSIGN_OR_RETURN(os::LockFile lock, os::LockFile::acquire(place.lock));
  // Another one may have been faster between the two locks: the next look tells.
  if (is_complete(place, wanted.id)) return std::optional<Environment>();
  ports.say(cat("environment: cache miss, creating ", key, " (", wanted.count, ")"));
  const Status built = build(config, request, ports, wanted);
  (void)os::remove_tree(place.building);
  TRY(built);
  ports.say("environment: ready");
  ASSIGN_OR_RETURN(EnvironmentLease kept, keep_lease(wanted.id, std::move(lock), ports.now));
  return std::optional(found(config, wanted, false, std::move(kept)));
}

// An environment that was built from something else and is in use stays as it is; the one that is
// wanted is found, or made, beside it.
bool take_key_beside(const EnvironmentConfig& config, const EnvironmentId& plain, Wanted& wanted,
                     bool plain_is_held) {
  const std::string beside = key_beside(plain);
  if (wanted.id.key == beside) return false;
  const EnvironmentPlace there(config.dir, plain.runtime, plain.key);
  const bool made = is_complete(EnvironmentPlace(config.dir, plain.runtime, beside), plain);
  if (!made && !(plain_is_held && is_another(there, plain))) return false;
  wanted.id.key = beside;
  return true;
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
  const EnvironmentId plain = wanted->id;
  take_key_beside(config, plain, *wanted, false);
  for (bool told = false;; told = true) {
    auto made = find_or_build(config, request, ports, *wanted);
    if (made && *made) return std::move(**made);
    if (made) continue;
    if (made.error().reason != "LOCK_HELD") return std::move(made).error();
    if (take_key_beside(config, plain, *wanted, true)) continue;
    if (!told) ports.say(cat("environment ", wanted->id.key, ": waiting for its builder"));
    if (!ports.wait()) return Error{Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
  }
}

}  // namespace paddock::runtimes
