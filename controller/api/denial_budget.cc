#include "controller/api/denial_budget.h"

#include <algorithm>
#include <utility>

namespace paddock::api {

std::optional<int64_t> DenialBudget::take(const std::string& subject, MonoTime now) {
  return accounts_.with([&](auto& accounts) -> std::optional<int64_t> {
    Account& account = accounts.try_emplace(subject, Account{kBurst, 0, now}).first->second;
    const int64_t earned = (now - account.refilled) / kRefill;
    account.left = std::min(kBurst, account.left + earned);
    account.refilled = account.refilled + earned * kRefill;
    if (account.left == 0) {
      ++account.left_out;
      return std::nullopt;
    }
    --account.left;
    return std::exchange(account.left_out, 0);
  });
}

}  // namespace paddock::api
