// Limits how many refusals of one caller the audit log takes: a burst, then one a second, so that a
// caller that is refused all the time cannot push the rest of the log out. Any thread.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/base/guarded.h"
#include "common/base/time.h"

namespace paddock::api {

class DenialRateLimiter {
 public:
  static constexpr int64_t kBurst = 100;
  static constexpr Millis kRefill{1000};

  static constexpr size_t kMostAccounts =
      10'000;  // then those that have their whole burst again go

  // None: this refusal is not recorded. Otherwise how many of this caller were left out since the
  // last one that was.
  std::optional<int64_t> take(const std::string& caller, MonoTime now);

 private:
  struct Account {
    int64_t left = kBurst;
    int64_t left_out = 0;
    MonoTime refilled;
  };
  static Account refilled(Account account, MonoTime now);
  Guarded<std::map<std::string, Account>> accounts_;
};

}  // namespace paddock::api
