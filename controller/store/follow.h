// A PostgreSQL store as a controller has it that does not lead: it reads what is committed, and is
// told each change, in the order of resource versions and once. It writes nothing but that somebody
// follows; the leader then keeps the texts of its newest changes beside their numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/result.h"
#include "controller/store/store.h"

namespace paddock::store {

// The changes that were committed after a resource version.
struct News {
  int64_t newest = 0;                // resource version of the snapshot
  bool whole = true;                 // false: some of it is not kept (any more); begin anew
  std::vector<ObjectWrite> changes;  // the first of them, in order
};

// One thread at a time.
class ChangeFeed {
 public:
  virtual ~ChangeFeed() = default;
  // Connects at the first question.
  static Result<std::unique_ptr<ChangeFeed>> open(const PostgresOptions& options);

  // Has texts kept from the leader's next transaction on, for as long as this is called again
  // within half a minute.
  virtual Status follow() = 0;
  // STORE_AWAY, STORE_IO and their like: ask again.
  virtual Result<News> after(int64_t resource_version) = 0;
};

// The side of a leader's store that others follow. Any thread.
class Followed {
 public:
  virtual ~Followed() = default;
  // Whether anybody does, as the newest transaction found.
  virtual bool followed() const = 0;
};
inline bool is_followed(const Store& store) {
  const auto* const led = dynamic_cast<const Followed*>(&store);
  return led != nullptr && led->followed();
}

// The error with which a controller that does not lead answers everything that it cannot.
Error not_leader();

// Reads as of any other store; what is known of tokens is asked for each time, as it is the leader
// who hears of revocations. Every change is refused (NOT_LEADER). Opens no connection by itself.
Result<std::unique_ptr<Store>> open_to_read(const PostgresOptions& options);

}  // namespace paddock::store
