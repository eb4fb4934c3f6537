// Gangs: runs over several nodes. One Run with spec.nodes; its members are ordinary runs that the
// controller makes all at once, and that are placed all at once, each on a node of its own, or not
// at all. They are the elements of an array (array.h) in all else: names, labels, counts.
#pragma once

#include <cstdint>

namespace paddock::contracts {

inline constexpr int64_t kMostMembers = 256;

// Variables of a member's command: which one it is, from 0 on, and how many there are.
inline constexpr const char* kRankVariable = "PADDOCK_RANK";
inline constexpr const char* kSizeVariable = "PADDOCK_SIZE";

}  // namespace paddock::contracts
