#include "controller/app/standby.h"

#include <optional>
#include <string>
#include <utility>

#include "common/base/guarded.h"
#include "common/base/log.h"
#include "controller/app/database.h"
#include "controller/app/follower.h"
#include "controller/app/listening.h"
#include "controller/app/self_description.h"
#include "controller/app/shared_files.h"
#include "controller/standby/database_clock.h"
#include "controller/standby/standby_answer.h"
#include "controller/standby/takeover_faults.h"

namespace paddock::app {
namespace {

// How often the leader's lease, and its latest changes, are looked at.
constexpr Millis kLookEvery{100};

// Each try begins an epoch, and another standby may have more luck meanwhile.
constexpr Millis kTriesAgainAfter{1'500};

// How often a standby checks that it would be able to lead.
constexpr Millis kLookAheadEvery{60'000};
// How long a standby with a wrong clock leaves the lead to others.
constexpr Millis kYields{5'000};

constexpr int kNotLeader = 503;

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
      if (free && !yields() && dependencies_.clock.mono() >= tries_at_) {
        auto opened = lead();
        if (opened.ok() || !goes_on(opened.error())) return opened;
        if (standby::all_lack_it(opened.error()))
          tries_at_ = dependencies_.clock.mono() + kTriesAgainAfter;
      }
      TRY(serve());
      TRY(follow());
      if (!rest_(kLookEvery)) return std::unique_ptr<Controller>();
    }
  }

 private:
  struct Leader {
    std::string url;  // of the leader
    std::shared_ptr<Follower> follower;
  };

  static http_server::Response answer(const Leader& seen, http_server::Request& asked) {
    // Who waits for a leader asks that often: it is answered without the database.
    if (seen.follower && asked.path != "/readyz") {
      http_server::Response read = seen.follower->handle(asked);
      if (read.status != kNotLeader) return read;
    }
    return standby::standby_answer(asked, seen.url);
  }

  // Whether to wait in spite of this error. At its start a standby reports every fault; later it
  // waits for those that may pass.
  bool goes_on(const Error& error) {
    const bool waits = error.reason == "STORE_LOCKED" || (front_ && standby::may_pass(error));
    if (waits && std::exchange(said_reason_, error.reason.str()) != error.reason.str())
      log_warn("the lead cannot be taken now",
               {{"reason", error.reason}, {"error", error.describe()}});
    return waits;
  }

  Result<std::unique_ptr<Controller>> lead() {
    if (!follower_) return Controller::open(config_, dependencies_);
    const Takeover takeover{follower_->services(), [this] { return follower_->catch_up(); }};
    auto opened = Controller::open(config_, dependencies_, takeover);
    if (opened.ok()) {
      if (Status told = (*opened)->tell_files(); !told.ok()) opened = std::move(told).error();
    }
    if (opened.ok()) (*opened)->take_over(std::move(front_), follower_);
    // A leader that was cut off, and has ended, may have closed the history of watches. This
    // standby goes on with it.
    if (!opened.ok()) follower_->services()->history.reopen();
    return opened;
  }

  // A standby that cannot read sends everybody to the leader.
  Status follow() {
    if (!follower_) {
      ASSIGN_OR_RETURN(follower_, Follower::open(config_, dependencies_, database_));
      seen_->with([&](Leader& seen) { seen.follower = follower_; });
    }
    const Status kept_up = follower_->keep_up();
    const std::string reason = kept_up.ok() ? "" : kept_up.error().reason.str();
    if (!kept_up.ok() && kept_up.error().reason == "STORE_FENCED") return kept_up;
    if (std::exchange(unread_, reason) != reason && !kept_up.ok())
      log_warn("what changes is not told here now",
               {{"reason", kept_up.error().reason}, {"error", kept_up.error().describe()}});
    return {};
  }

  // Leading with a wrong clock is better than nobody, and worse than another one.
  bool yields() {
    if (!clock_.wrong() || !front_) return false;
    const MonoTime now = dependencies_.clock.mono();
    if (!free_since_) free_since_ = now;
    return now - *free_since_ < kYields;
  }

  void look_at_secret_key() {
    const auto lacks = lacks_secret_key(*watch_, config_);
    if (!lacks.ok() || std::exchange(key_lacks_, *lacks) == *lacks || !*lacks) return;
    log_warn("runs would get no secrets from this controller",
             {{"reason", Reason("SECRET_KEY_MISSING")}, {"message", kSecretKeyWords}});
  }

  // Looks for faults that would otherwise show only once this standby leads.
  void look_ahead(const store::Lead& lead, WallTime before) {
    if (!lead.free) free_since_.reset();
    const MonoTime now = dependencies_.clock.mono();
    if (lead.clock == WallTime{} || (now < look_ahead_at_ && !lead.free)) return;
    clock_.look(lead.clock, before, dependencies_.clock.wall());
    if (now < look_ahead_at_) return;
    look_ahead_at_ = now + kLookAheadEvery;
    if (!lead.anew) look_at_secret_key();
  }

  // A data folder that was moved is nobody else's. A copy of it is another controller, which has
  // seen another one lead.
  bool led_last(const store::Lead& lead) const {
    return lead.anew || (lead.ours && lead.free && checked_ < 0);
  }

  Result<bool> look() {
    const WallTime before = dependencies_.clock.wall();
    auto lead = watch_->look();
    if (!lead.ok()) {
      if (goes_on(lead.error())) return false;
      return std::move(lead).error();
    }
    if (lead->unusable) {
      if (!goes_on(*lead->unusable)) return *lead->unusable;
      return false;
    }
    if (!led_last(*lead) && (lead->free || lead->epoch != checked_)) {
      const auto told = check_shared_files(*watch_, config_);
      if (!told.ok() && !goes_on(told.error())) return told.error();
      if (!told.ok()) return false;
      if (*told) checked_ = lead->epoch;
    }
    look_ahead(*lead, before);
    seen_->with([&](Leader& seen) { seen.url = lead->url; });
    leader_ = lead->leader;
    return lead->free;
  }

  Status serve() {
    if (front_) return {};
    ASSIGN_OR_RETURN(http_server::ServerOptions options,
                     listening(config_, dependencies_.random, dependencies_.clock));
    ASSIGN_OR_RETURN(front_, Front::open(std::move(options), [seen = seen_](auto& asked) {
                       return answer(seen->with([](const Leader& now) { return now; }), asked);
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
  std::shared_ptr<Guarded<Leader>> seen_ = std::make_shared<Guarded<Leader>>();
  std::shared_ptr<Follower> follower_;
  std::string leader_;
  int64_t checked_ = -1;     // the epoch whose files were compared last
  std::string said_reason_;  // what kept it from leading, as the log has it
  std::string unread_;       // likewise, from reading
  MonoTime tries_at_;        // to lead, not before
  MonoTime look_ahead_at_;
  standby::ClockWatch clock_;
  bool key_lacks_ = false;
  std::optional<MonoTime> free_since_;  // since when it leaves the lead to another one
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

}  // namespace paddock::app
