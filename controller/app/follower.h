// The part of a standby that answers: reads of objects and watches, by the database that another
// controller leads. It tells of each change once and in order; where it cannot go on so, or has not
// heard the database for long, its watches end with 410 and their clients list again.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "controller/api/metrics/metrics.h"
#include "controller/app/config.h"
#include "controller/app/controller.h"
#include "controller/app/served_api.h"
#include "controller/standby/services.h"
#include "controller/store/follow.h"

namespace paddock::app {

class Follower {
 public:
  static Result<std::unique_ptr<Follower>> open(const Config& config,
                                                const Dependencies& dependencies,
                                                const store::PostgresOptions& database);
  ~Follower();

  // Tells of what was committed meanwhile. To be called several times a second, one at a time.
  // STORE_FENCED: the database was set back, nothing here is right any more.
  Status keep_up();
  // All of it: for who has just taken the lead, so that nobody else writes.
  Status catch_up();
  // 503 (NOT_LEADER): it is for the leader. Any thread, until the last answer has ended.
  http_server::Response handle(http_server::Request& request);
  const std::shared_ptr<standby::Services>& services() const { return standby_services_; }

 private:
  struct Parts;  // what handlers ask for and a standby has not
  Follower(const Config& config, const Dependencies& dependencies);
  Status follow_on(MonoTime now);
  Status say_so(MonoTime now);
  Result<bool> tell_more();
  void begin(int64_t resource_version);
  void give_up();

  const Dependencies dependencies_;
  const std::shared_ptr<standby::Services> standby_services_;
  std::unique_ptr<store::ChangeFeed> feed_;
  std::unique_ptr<store::Store> store_;
  api::Metrics metrics_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<ServedApi> api_;
  std::atomic<bool> has_history_{false};  // the history is that of the store
  std::optional<MonoTime> said_;          // when the leader was told last that somebody follows
  MonoTime heard_;                        // when all was known last
  Status failed_;                         // the last look, and
  MonoTime again_;                        // not before then
};

}  // namespace paddock::app
