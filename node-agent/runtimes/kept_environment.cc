#include "node-agent/runtimes/kept_environment.h"

#include <unistd.h>

#include <cerrno>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::runtimes {
namespace {

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

// Looks once: returns the environment as it is, or builds it now; nothing while somebody else has
// it.
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

Result<Environment> find_or_make(const EnvironmentConfig& config, const EnvironmentRequest& request,
                                 const EnvironmentPorts& ports, Wanted wanted) {
  const EnvironmentId plain = wanted.id;
  take_key_beside(config, plain, wanted, false);
  for (bool told = false;; told = true) {
    auto made = find_or_build(config, request, ports, wanted);
    if (made && *made) return std::move(**made);
    if (made) continue;
    if (made.error().reason != "LOCK_HELD") return std::move(made).error();
    if (take_key_beside(config, plain, wanted, true)) continue;
    if (!told) ports.say(cat("environment ", wanted.id.key, ": waiting for its builder"));
    if (!ports.wait()) return Error{Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
  }
}

}  // namespace paddock::runtimes
