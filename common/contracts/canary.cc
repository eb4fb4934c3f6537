#include "common/contracts/canary.h"

#include <algorithm>
#include <array>

namespace paddock::contracts {

bool is_isolation(std::string_view capability) {
  constexpr std::array<std::string_view, 7> kIsolation = {
      "sandbox", "filesystem", "network", "processes", "privileges", "syscalls", "environment"};
  return std::ranges::find(kIsolation, capability) != kIsolation.end();
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Canary);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::SandboxProof);
