// Gathers HostFacts from the running kernel.
#pragma once

#include "common/base/result.h"
#include "node-agent/sandbox/plan/host_facts.h"

namespace paddock::sandbox {

Result<HostFacts> gather_facts();

}  // namespace paddock::sandbox
