// The version of every program of this source tree; the same as in CMakeLists.txt.
#pragma once

namespace paddock::contracts {

inline constexpr const char* kProgramVersion = "0.1.0";

}  // namespace paddock::contracts
