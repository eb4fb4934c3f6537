#include "cli/instance/instance_lock.h"

#include "cli/instance/program.h"
#include "common/base/text.h"
#include "common/os/lock_holder.h"

namespace paddock::cli {

Result<os::LockFile> lock_instance(const Env& env, const InstancePaths& paths) {
  constexpr Millis kPatience{60'000};
  Result<os::LockFile> lock = os::LockFile::acquire(paths.lock());
  const auto settled = [&] {
    if (lock.ok() || lock.error().reason != "LOCK_HELD") return true;
    lock = os::LockFile::acquire(paths.lock());
    return lock.ok();
  };
  if (wait_until(env, kPatience, settled)) return lock;
  return Error{Code::kFailedPrecondition, "LOCK_HELD",
               cat("another command", os::lock_holder(paths.lock()), " is at work on instance ",
                   paths.name)};
}

}  // namespace paddock::cli
