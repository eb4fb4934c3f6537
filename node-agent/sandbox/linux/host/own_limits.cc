// The kernel counts some things per user and compares the count with the limits of the process that
// asks for one more. Sandboxes without a user of their own share such counts. One of them is the
// number of descriptors that are being passed over sockets: passing one works as long as the
// sender's own limit is above what all commands together can have under way (unix(7),
// ETOOMANYREFS).
#include "node-agent/sandbox/linux/host/own_limits.h"

#include <errno.h>
#include <sys/resource.h>

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/backend/launch.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/plan/rlimits.h"

namespace paddock::sandbox {
namespace {

Status take(__rlimit_resource resource, rlim_t soft, rlim_t hard, const char* name) {
  const rlimit wanted{soft, hard};
  if (setrlimit(resource, &wanted) == 0) return {};
  return step_error(cat("setting the launcher's own limit ", name), errno);
}

}  // namespace

uint64_t open_files_for_commands(uint64_t hard) {
  constexpr uint64_t kOurs = 1024;
  return hard - std::min(hard / 2, kOurs);
}

Status take_own_limits() {
  rlimit files{};
  rlimit core{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || getrlimit(RLIMIT_CORE, &core) != 0)
    return step_error("reading the launcher's own limits", errno);
  TRY(take(RLIMIT_NOFILE, files.rlim_max, files.rlim_max, "nofile"));
  // A launcher that may not raise the limit keeps the one that the host's operator has set.
  const rlim_t wanted = kNoCoreHandler;
  if (core.rlim_max < wanted && take(RLIMIT_CORE, wanted, wanted, "core").ok()) return {};
  const rlim_t allowed = std::min(core.rlim_max, wanted);
  return take(RLIMIT_CORE, allowed, allowed, "core");
}

}  // namespace paddock::sandbox
