#include "common/contracts/access_token.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/text.h"
#include "common/contracts/names.h"

namespace paddock::contracts {
namespace {

// The names that the controller uses for itself and its own tokens.
constexpr std::array<std::string_view, 4> kReserved = {"admin", "enroll", "anonymous",
                                                       "controller"};

bool is_subject_letter(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '@';
}

}  // namespace

void AccessTokenRequest::validate(wire::Check& check) const {
  if (!std::ranges::all_of(subject, is_subject_letter))
    check.fail("subject", "must be of letters, digits, '-', '.', '_' and '@'");
  if (std::ranges::find(kReserved, std::string_view(subject)) != kReserved.end())
    check.fail("subject", cat("`", subject, "` is the controller's own; choose another"));
  if (!name_space.empty() && !is_dns_label(name_space))
    check.fail("namespace", "must be a DNS label: lower-case letters, digits and dashes");
  if (ttl.value < std::chrono::minutes(1) || ttl.value > kLongestAccessTokenLife)
    check.fail("ttl", "must be between 1m and 87840h");
}

}  // namespace paddock::contracts
