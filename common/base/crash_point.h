// Places where a daemon dies as by SIGKILL when a test asks for it: between two steps of which one
// must not be lost, or not be taken twice. Only in builds with assertions; a release has nothing of
// this, not even the names.
#pragma once

#ifndef NDEBUG

#include <string_view>

namespace paddock {

// Does not return where PADDOCK_CRASH_AT=NAME[:N] means this place, the Nth time that it is passed.
void crash_point(std::string_view name);

}  // namespace paddock

#define PADDOCK_CRASH_POINT(name) ::paddock::crash_point(name)

#else
#define PADDOCK_CRASH_POINT(name) static_cast<void>(0)
#endif
