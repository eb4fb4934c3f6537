// The range of host users of which each sandbox of a root launcher has one to itself. Pure: what
// the host's files say comes in. The operator names it where subordinate users of a host are named,
// by the line `paddock:FIRST:COUNT` of /etc/subuid.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "common/base/result.h"

namespace paddock::sandbox {

struct UserRange {
  uid_t first = 2'000'000'000;  // above what distributions, containers and directories hand out
  uid_t count = 65'536;
  bool operator==(const UserRange&) const = default;
};

// The texts of /proc/self/uid_map, /etc/subuid and /etc/passwd. FailedPrecondition, reason
// NO_OWN_USER, if there can be none: the message says what would help.
Result<UserRange> choose_user_range(std::string_view uid_map, std::string_view subuid,
                                    std::string_view passwd);

}  // namespace paddock::sandbox
