// Who leads a PostgreSQL database, seen by a controller that does not lead it: it changes nothing
// and waits for no lock. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/store/store.h"

namespace paddock::store {

// As the leader writes it, for those that wait: by which URL clients reach it.
inline constexpr const char* kLeaderUrlSetting = "leader-url";

struct Lead {
  int64_t epoch = 0;   // grows with each leader; 0: nobody has led yet
  bool free = true;    // whoever looked may take the lead now
  bool anew = true;    // the same instance led last, or nobody: nothing of another is to be kept
  bool ours = false;   // the same instance led last
  std::string leader;  // for the log: on which host
  std::string url;     // empty: it does not say
  Millis left{0};      // of the leader's lease, on the database's clock
  WallTime clock;      // the database's, at some time of the look; 0: it has no store
};

class LeadWatch {
 public:
  virtual ~LeadWatch() = default;
  // STORE_URL_INVALID, STORE_TLS_UNVERIFIED; connects at the first look.
  static Result<std::unique_ptr<LeadWatch>> open(const PostgresOptions& options);

  // Errors as of Store::open; STORE_AWAY: look again.
  virtual Result<Lead> look() = 0;
  // Of the tokens of this subject that are not revoked.
  virtual Result<std::vector<std::string>> token_hashes(const std::string& subject) = 0;
  // Empty where there is none.
  virtual Result<std::string> setting(const std::string& key) = 0;
};

}  // namespace paddock::store
