#include "node-agent/sandbox/result/launcher_limits.h"

#include "common/base/text.h"
#include "node-agent/sandbox/result/enforcement.h"

namespace paddock::sandbox {

LauncherLimits launcher_limits(const contracts::LaunchRequest& request) {
  constexpr wire::Quantity kDefaultOutput{int64_t{1} << 20};
  const contracts::SandboxLimits& limits = request.policy.limits;
  LauncherLimits out;
  if (limits.wall_time) out.wall_time = limits.wall_time->value;
  out.cancel_grace = Millis(request.cancel_grace_ms);
  out.limit_grace = Millis(request.limit_grace_ms);
  out.stdout_bytes = limits.stdout_bytes.value_or(kDefaultOutput).bytes;
  out.stderr_bytes = limits.stderr_bytes.value_or(kDefaultOutput).bytes;
  out.secrets = secret_words(request);
  return out;
}

contracts::Enforcement wall_time_by_signals(const contracts::LaunchRequest& request,
                                            const char* whom) {
  return by_broker(requested(request.policy.limits.wall_time),
                   cat("the launcher's timer, then SIGKILL to the ", whom),
                   cat("SIGTERM first, SIGKILL ", request.limit_grace_ms, " ms later"));
}

}  // namespace paddock::sandbox
