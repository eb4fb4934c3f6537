// Changes of phase as watches get them: each is announced like an object of a kind of its own, is
// created once, never changes, and goes with its run.
#pragma once

#include <string>
#include <string_view>

#include "controller/store/store.h"

namespace paddock::store {

inline constexpr const char* kPhaseKind = "Event";

// By the name that clients know it by.
Key phase_key(const PhaseRecord& record);

// The text of an ObjectWrite of this kind, and back. Internal (STORE_DATA_INVALID).
std::string phase_text(const PhaseRecord& record);
Result<PhaseRecord> parse_phase(std::string_view text);

}  // namespace paddock::store
