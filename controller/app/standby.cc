#include "controller/app/standby.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "common/base/guarded.h"
#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/readiness.h"
#include "common/http/http_client.h"
#include "common/wire/json.h"
#include "controller/app/database.h"
#include "controller/app/follower.h"
#include "controller/app/listening.h"
#include "controller/app/self_description.h"
#include "controller/app/shared_files.h"
#include "controller/http_server/refusal.h"

namespace paddock::app {
namespace {

// At the leader's lease, and at what it has changed.
constexpr Millis kLookEvery{100};

// The database is not there for a while, is a replica that is yet to be promoted, or another one
// was quicker.
bool may_pass(const Error& error) {
  return is_one_of(error.reason,
                   {"STORE_AWAY", "STORE_BUSY", "STORE_IO", "STORE_LOCKED", "STORE_READ_ONLY"});
}

constexpr int kNotLeader = 503;

// It comes from a database, and goes into a header.
bool may_be_told(const std::string& url) {
  const bool http = url.starts_with("https://") || url.starts_with("http://");
  return http && url.size() <= 512 &&
         std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7F; });
}

class Waiting {
 public:
  Waiting(Config& config, const Dependencies& dependencies, const Rest& rest,
          store::PostgresOptions database, std::unique_ptr<store::LeadWatch> watch)
      : config_(config),
        dependencies_(dependencies),
        rest_(rest),
        database_(std::move(database)),
        watch_(std::move(watch)) {}
  ~Waiting() {
    if (self_) remove_self(*self_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  Result<std::unique_ptr<Controller>> wait() {
    while (true) {
      ASSIGN_OR_RETURN(const bool free, look());
      if (free) {
        auto opened = lead();
        if (opened.ok() || !goes_on(opened.error())) return opened;
      }
      TRY(serve());
      TRY(follow());
      if (!rest_(kLookEvery)) return std::unique_ptr<Controller>();
    }
  }

 private:
  struct Seen {
    std::string url;  // of the leader
    std::shared_ptr<Follower> follower;
  };

  static http_server::Response answer(const Seen& seen, http_server::Request& asked) {
    if (seen.follower) {
      http_server::Response read = seen.follower->handle(asked);
      if (read.status != kNotLeader) return read;
    }
    return standby_answer(asked, seen.url);
  }

  // Whether to wait in spite of this error. At its start a standby reports every fault; later it
  // waits for those that may pass.
  bool goes_on(const Error& error) {
    const bool waits = error.reason == "STORE_LOCKED" || (front_ && may_pass(error));
    if (waits && std::exchange(told_, error.reason.str()) != error.reason.str())
      log_warn("the lead cannot be taken now",
               {{"reason", error.reason}, {"error", error.describe()}});
    return waits;
  }

  Result<std::unique_ptr<Controller>> lead() {
    if (!follower_) return Controller::open(config_, dependencies_);
    const Begun begun{follower_->told(), [this] { return follower_->catch_up(); }};
    auto opened = Controller::open(config_, dependencies_, begun);
    if (opened.ok()) (*opened)->take_over(std::move(front_), follower_);
    return opened;
  }

  // A standby that cannot read sends everybody to the leader.
  Status follow() {
    if (!follower_) {
      ASSIGN_OR_RETURN(follower_, Follower::open(config_, dependencies_, database_));
      seen_->with([&](Seen& seen) { seen.follower = follower_; });
    }
    const Status kept_up = follower_->keep_up();
    const std::string reason = kept_up.ok() ? "" : kept_up.error().reason.str();
    if (!kept_up.ok() && kept_up.error().reason == "STORE_FENCED") return kept_up;
    if (std::exchange(unread_, reason) != reason && !kept_up.ok())
      log_warn("what changes is not told here now",
               {{"reason", kept_up.error().reason}, {"error", kept_up.error().describe()}});
    return {};
  }

  Result<bool> look() {
    auto lead = watch_->look();
    if (!lead.ok()) {
      if (goes_on(lead.error())) return false;
      return std::move(lead).error();
    }
    if (!lead->anew && (lead->free || lead->epoch != checked_)) {
      const auto told = check_shared_files(*watch_, config_);
      if (!told.ok() && !goes_on(told.error())) return told.error();
      if (!told.ok()) return false;
      if (*told) checked_ = lead->epoch;
    }
    seen_->with([&](Seen& seen) { seen.url = lead->url; });
    leader_ = lead->leader;
    return lead->free;
  }

  Status serve() {
    if (front_) return {};
    ASSIGN_OR_RETURN(http_server::ServerOptions options,
                     listening(config_, dependencies_.random, dependencies_.clock));
    ASSIGN_OR_RETURN(front_, Front::open(std::move(options), [seen = seen_](auto& asked) {
                       return answer(seen->with([](const Seen& now) { return now; }), asked);
                     }));
    config_.port = front_->port();
    const std::string own = own_url(config_, front_->port());
    ASSIGN_OR_RETURN(self_,
                     write_self(config_.data_dir, own, front_->port(), dependencies_.random));
    log_info("standby", {{"url", own}, {"leader", leader_}});
    return {};
  }

  Config& config_;
  const Dependencies& dependencies_;
  const Rest& rest_;
  const store::PostgresOptions database_;
  std::unique_ptr<store::LeadWatch> watch_;
  std::shared_ptr<Guarded<Seen>> seen_ = std::make_shared<Guarded<Seen>>();
  std::shared_ptr<Follower> follower_;
  std::string leader_;
  int64_t checked_ = -1;  // the epoch whose files were compared last
  std::string told_;      // what kept it from leading, as the log has it
  std::string unread_;    // likewise, from reading
  std::unique_ptr<Front> front_;
  std::optional<SelfDescription> self_;
};

}  // namespace

Result<std::unique_ptr<Controller>> open_in_turn(Config& config, const Dependencies& dependencies,
                                                 const Rest& rest) {
  if (config.store.postgres.url_file.empty()) return Controller::open(config, dependencies);
  ASSIGN_OR_RETURN(const store::StoreOptions options, store_options(config, dependencies.random));
  ASSIGN_OR_RETURN(auto watch, store::LeadWatch::open(*options.postgres));
  return Waiting(config, dependencies, rest, *options.postgres, std::move(watch)).wait();
}

http_server::Response standby_answer(const http_server::Request& request,
                                     const std::string& leader_url) {
  http_server::Response answer;
  if (request.path == "/livez") {
    answer.content_type = "text/plain; charset=utf-8";
    answer.body = "ok\n";
    return answer;
  }
  if (request.path == "/healthz") {
    wire::Value alive = contracts::readiness(true);
    alive.set("ready", false);
    answer.body = wire::to_json(alive);
    return answer;
  }
  const bool known = may_be_told(leader_url);
  Error error{Code::kUnavailable, "NOT_LEADER",
              cat("this controller is a standby and did nothing of this; ask ",
                  known ? leader_url : "the one that leads")};
  error.facts = {{"retryAfterSeconds", "1"}};
  if (known) error.facts.emplace_back("leader", leader_url);
  answer = http_server::refusal(error);
  answer.headers.emplace_back(http::kLeaderHeader, known ? leader_url : "elsewhere");
  return answer;
}

}  // namespace paddock::app
