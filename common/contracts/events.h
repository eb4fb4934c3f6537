// A run's events, as its SSE stream carries them: `id: <n>`, `event: <type>`, `data: <JSON>`.
// Ids grow by one within a run. Types:
//   phase   {"phase","reason","message","attempt"}
//   stdout, stderr, system   {"time","data"}   (data: text; malformed UTF-8 replaced)
//   end     {"phase","rc","status","message"}   always last, caused by the node's reaper or by the
//           controller's decision that no node will ever report; a stream without it is incomplete.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace paddock::contracts {

inline constexpr std::string_view kEventPhase = "phase";
inline constexpr std::string_view kEventStdout = "stdout";
inline constexpr std::string_view kEventStderr = "stderr";
inline constexpr std::string_view kEventSystem = "system";
inline constexpr std::string_view kEventEnd = "end";

struct RunEvent {
  int64_t id = 0;
  int64_t time_ms = 0;
  std::string type;
  std::string data;  // raw bytes for stdout/stderr/system; JSON text for phase and end
};

}  // namespace paddock::contracts
