// Tells a controller that does not lead a PostgreSQL database who leads it. It changes nothing and
// waits for no lock. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/store/store.h"

namespace paddock::store {

// The setting in which the leader writes the URL by which clients reach it.
inline constexpr const char* kLeaderUrlSetting = "leader-url";

// Who leads, as its row has it: an instance, and where its data folder is. Those of older versions
// have no place, and are the instance wherever it is.
inline std::string holder_at(const std::string& instance, const std::string& place) {
  return instance + "@" + place;
}
inline std::string_view instance_of(std::string_view holder) {
  return holder.substr(0, holder.find('@'));
}
inline bool is_holder(std::string_view in_row, std::string_view own) {
  return !in_row.empty() && (in_row == own || in_row == instance_of(own));
}

struct Lead {
  int64_t epoch = 0;   // grows with each leader; 0: nobody has led yet
  bool free = true;    // whoever looked may take the lead now
  bool anew = true;    // this one led last, or nobody: nothing of another is to be kept
  bool ours = false;   // the same instance led last, maybe where its folder was before, or a copy's
  std::string leader;  // for the log: on which host
  std::string url;     // empty: it does not say
  Millis left{0};      // of the leader's lease, on the database's clock
  WallTime clock;      // the database's, at some time of the look; 0: it has no store
  // Why this program could not lead it: STORE_SCHEMA_TOO_NEW.
  std::optional<Error> unusable = {};
};

class LeadWatch {
 public:
  virtual ~LeadWatch() = default;
  // STORE_URL_INVALID, STORE_TLS_UNVERIFIED; connects at the first look.
  static Result<std::unique_ptr<LeadWatch>> open(const PostgresOptions& options);

  // Errors as of Store::open; STORE_AWAY: look again.
  virtual Result<Lead> look() = 0;
  // The hashes of the tokens of this subject that are not revoked.
  virtual Result<std::vector<std::string>> token_hashes(const std::string& subject) = 0;
  // Empty where there is none.
  virtual Result<std::string> setting(const std::string& key) = 0;
};

}  // namespace paddock::store
