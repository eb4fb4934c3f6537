// UUIDs that begin with the time at which they are made (version 7, RFC 9562 section 5.7). What is
// made one after another lies together in an index, where random UUIDs take a page each. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/random.h"
#include "common/base/time.h"

namespace paddock {

// `now` in milliseconds since 1970; 74 bits are random.
std::string make_timed_uuid(Random& random, WallTime now);
// A few random digits of a UUID of either version (4 or 7), to tell it from others. For any other
// text, its first eight characters.
std::string uuid_mark(std::string_view uuid);

}  // namespace paddock
