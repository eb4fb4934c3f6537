// The outer half of the canaries: real sandboxes of this host, in which canary_attempts.h tries.
#pragma once

#include "common/base/time.h"
#include "node-agent/sandbox/selftest/canaries.h"

namespace paddock::sandbox {

CanaryFindings run_canaries(const Clock& clock);
HostSettings read_host_settings();

}  // namespace paddock::sandbox
