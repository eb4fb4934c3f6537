// The range of host users of which each sandbox of a root launcher has one to itself. Pure: what
// the host's files say comes in. The operator names it where subordinate users of a host are named,
// by the line `paddock:FIRST:COUNT` of /etc/subuid.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "common/base/result.h"

namespace paddock::sandbox {

struct UserRange {
  // Above what distributions, containers and directories hand out: SSSD ends at 2,000,200,000.
  uid_t first = 2'100'000'000;
  uid_t count = 65'536;
  bool operator==(const UserRange&) const = default;
};

// Texts of files of the host, each named after its file in /etc.
struct UserFiles {
  std::string_view uid_map;  // of /proc/self
  std::string_view subuid = {};
  std::string_view passwd = {};
  std::string_view subgid = {};
  std::string_view group = {};
};

// FailedPrecondition, reason NO_OWN_USER, if there can be none: the message says what would help.
// The group of the same number has to be free too. Directories (SSSD, LDAP) are not asked.
Result<UserRange> choose_user_range(const UserFiles& files);

}  // namespace paddock::sandbox
