#include "controller/api/server/denial_rate_limiter.h"

#include <algorithm>
#include <utility>

namespace paddock::api {

DenialRateLimiter::Account DenialRateLimiter::refilled(Account account, MonoTime now) {
  const int64_t earned = (now - account.refilled) / kRefill;
  account.left = std::min(kBurst, account.left + earned);
  account.refilled = account.refilled + earned * kRefill;
  return account;
}

std::optional<int64_t> DenialRateLimiter::take(const std::string& caller, MonoTime now) {
  return accounts_.with([&](auto& accounts) -> std::optional<int64_t> {
    if (accounts.size() >= kMostAccounts) {
      std::erase_if(accounts, [&](const auto& each) {
        return refilled(each.second, now).left == kBurst && each.second.left_out == 0;
      });
    }
    Account& account = accounts.try_emplace(caller, Account{kBurst, 0, now}).first->second;
    account = refilled(account, now);
    if (account.left == 0) {
      ++account.left_out;
      return std::nullopt;
    }
    --account.left;
    return std::exchange(account.left_out, 0);
  });
}

}  // namespace paddock::api
