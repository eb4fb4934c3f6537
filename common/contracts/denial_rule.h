// The words by which a Denial says what was tried and which rule refused it: the sandbox writes
// them, and whoever judges a denial reads them. A rule may have an explanation behind a colon.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/contracts/sandbox_result.h"

namespace paddock::contracts {

// Denial::what, where it decides something.
inline constexpr std::string_view kTriedToExecute = "execute";
inline constexpr std::string_view kTriedToLookUp = "name lookup";
inline constexpr std::string_view kTriedToConnect = "network connect";

// Denial::target of further denials of a kind, which are only counted.
inline constexpr std::string_view kOtherTargets = "others";

enum class DenialRule {
  kNetworkOff,   // network.enabled is false
  kDomains,      // network.allowDomains does not name it
  kLoopbackOff,  // network.loopback is false
  kTools,        // tools does not name it
  kSystemCalls,  // the system call filter, which no policy opens
};
std::string_view rule_name(DenialRule rule);
// `tools: a file in memory could be executed`.
std::string rule_text(DenialRule rule, std::string_view why);
// None for a rule of another kind, such as one of the node's operator.
std::optional<DenialRule> rule_of(const Denial& denial);

}  // namespace paddock::contracts
