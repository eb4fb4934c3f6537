// Which conversation between agent and controller (sync.h) a program speaks. Each side says its
// number in a header of every call and answer, since one that does not know the number ignores
// that; each side refuses the other by name when they are more than one apart.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace paddock::contracts {

// Grows by one with a release that changes what is said. 1: releases that said no number.
inline constexpr int64_t kProtocolVersion = 2;
inline constexpr int64_t kUnsaidProtocol = 1;
inline constexpr std::string_view kAgentProtocolHeader = "Paddock-Agent-Protocol";
inline constexpr std::string_view kControllerProtocolHeader = "Paddock-Controller-Protocol";

// One release apart, either way.
constexpr bool compatible(int64_t one, int64_t other) {
  return one >= 0 && other >= 0 && (one > other ? one - other : other - one) <= 1;
}

// What a header says; an empty one is none. InvalidArgument (PROTOCOL_INVALID) for anything but a
// number from 1 on.
Result<int64_t> protocol_said(std::string_view header);

inline constexpr Reason kProtocolMismatch = "PROTOCOL_MISMATCH";
// FailedPrecondition (PROTOCOL_MISMATCH) with which of the two is to be upgraded. A number that the
// other side said, judged by the controller and by the agent.
Status check_agent_protocol(int64_t agent, int64_t ours = kProtocolVersion);
Status check_controller_protocol(int64_t controller, int64_t ours = kProtocolVersion);

}  // namespace paddock::contracts
