#include "common/base/timed_uuid.h"

#include "common/base/text.h"

namespace paddock {

namespace {

constexpr size_t kUuidSize = 36;
constexpr size_t kVersionAt = 14;  // in xxxxxxxx-xxxx-Mxxx-Nxxx-xxxxxxxxxxxx

}  // namespace

// 48 bits of the time take the place of the first twelve digits.
std::string make_timed_uuid(Random& random, WallTime now) {
  std::string uuid = make_uuid(random);
  auto left = static_cast<uint64_t>(now.ms);
  for (size_t at = 13; at > 0; --at) {
    char& digit = uuid[at - 1];
    if (digit == '-') continue;
    digit = "0123456789abcdef"[left % 16];
    left /= 16;
  }
  uuid[kVersionAt] = '7';
  return uuid;
}

std::string uuid_mark(std::string_view uuid) {
  const bool timed = uuid.size() == kUuidSize && uuid[kVersionAt] == '7';
  if (!timed) return std::string(uuid.substr(0, 8));
  return cat(uuid.substr(kVersionAt + 1, 3), uuid.substr(kVersionAt + 5, 4));
}

}  // namespace paddock
