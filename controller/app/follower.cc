#include "controller/app/follower.h"

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/cas/blobs.h"
#include "controller/app/profiles.h"
#include "controller/http_server/refusal.h"
#include "controller/nodes/leases.h"
#include "controller/reconciler/reconciler.h"
#include "controller/workspaces/blob_intake.h"

namespace paddock::app {
namespace {

// A third of how long the leader believes it.
constexpr Millis kSayEvery{10'000};
// Watches are told of a change within this time, or of nothing at all.
constexpr Millis kPatience{10'000};
// A leader of an older version has no tables for it: its server would log each question.
constexpr Millis kAfterFailure{1'000};
// Pieces of news, before whoever follows looks at other things.
constexpr int kMostAtOnce = 40;

// Files are the leader's: no route of a standby asks for one.
class NoBlobs final : public cas::Blobs {
 public:
  bool has(const cas::Digest&) const override { return false; }
  Result<int64_t> size(const cas::Digest&) const override { return store::not_leader(); }
  Result<os::Fd> open_blob(const cas::Digest&) const override { return store::not_leader(); }
  Status keep(const cas::Digest&, const std::string&) const override { return store::not_leader(); }
  bool use(const cas::Digest&) const override { return false; }
  Result<std::vector<Stored>> list() const override { return std::vector<Stored>(); }
  int64_t growth() const override { return 0; }
  Result<bool> remove_unused(const cas::Digest&, int64_t) const override {
    return store::not_leader();
  }
  Status sync() const override { return store::not_leader(); }

 protected:
  Result<std::unique_ptr<Writer::Target>> open_writer(const cas::Digest&, int64_t, cas::Durability,
                                                      IfHere) const override {
    return store::not_leader();
  }
};

Error set_back() {
  return {Code::kUnavailable, "STORE_FENCED",
          "the database was set back to an older state; what was told of it is not right any more"};
}

}  // namespace

struct Follower::Parts {
  NoBlobs blobs;
  std::unique_ptr<workspaces::BlobIntake> intake;
  nodes::LeaseTable leases;
  reconciler::Reconciler reconciler;

  Parts(store::Store& store, MonoTime now) : leases(now), reconciler(store, leases) {}
};

Follower::Follower(const Config& config, const Dependencies& dependencies)
    : dependencies_(dependencies),
      standby_services_(std::make_shared<standby::Services>(config.max_connections)),
      heard_(dependencies.clock.mono()) {}
Follower::~Follower() = default;

Result<std::unique_ptr<Follower>> Follower::open(const Config& config,
                                                 const Dependencies& dependencies,
                                                 const store::PostgresOptions& database) {
  std::unique_ptr<Follower> made(new Follower(config, dependencies));
  ASSIGN_OR_RETURN(made->feed_, store::ChangeFeed::open(database));
  ASSIGN_OR_RETURN(made->store_, store::open_to_read(database));
  made->parts_ = std::make_unique<Parts>(*made->store_, dependencies.clock.mono());
  Parts& parts = *made->parts_;
  ASSIGN_OR_RETURN(parts.intake, workspaces::BlobIntake::open(parts.blobs, config.data_dir, {}));
  ASSIGN_OR_RETURN(contracts::Profiles profiles, profiles_of(config));
  ASSIGN_OR_RETURN(made->api_, make_api(config, dependencies, *made->standby_services_,
                                        {*made->store_, parts.leases, parts.blobs, *parts.intake,
                                         made->metrics_, parts.reconciler, std::move(profiles)}));
  made->api_->services.follows = true;
  return made;
}

void Follower::begin(int64_t resource_version) {
  standby_services_->history.begin(resource_version);
  standby_services_->notifier.notify_all();
  has_history_ = true;
}

// Makes watches begin anew: they would otherwise wait for changes that nobody tells them.
void Follower::give_up() {
  if (!has_history_) return;
  standby_services_->history.begin(std::numeric_limits<int64_t>::max());
  standby_services_->notifier.notify_all();
  has_history_ = false;
}

Status Follower::keep_up() {
  const MonoTime now = dependencies_.clock.mono();
  if (!failed_.ok() && now < again_) return failed_;
  failed_ = follow_on(now);
  if (failed_.ok()) heard_ = now;
  if (!failed_.ok()) again_ = dependencies_.clock.mono() + kAfterFailure;
  if (now - heard_ > kPatience) give_up();
  return failed_;
}

Status Follower::follow_on(MonoTime now) {
  TRY(say_so(now));
  for (int i = 0; i < kMostAtOnce; ++i) {
    ASSIGN_OR_RETURN(const bool more, tell_more());
    if (!more) break;
  }
  return {};
}

Status Follower::say_so(MonoTime now) {
  if (said_ && now - *said_ < kSayEvery) return {};
  TRY(feed_->follow());
  said_ = now;
  return {};
}

Status Follower::catch_up() {
  while (true) {
    ASSIGN_OR_RETURN(const bool more, tell_more());
    if (!more) return {};
  }
}

// Whether there may be more.
Result<bool> Follower::tell_more() {
  const int64_t known = has_history_ ? standby_services_->history.up_to() : 0;
  ASSIGN_OR_RETURN(store::News news, feed_->after(known));
  if (has_history_ && news.newest < known) return set_back();
  // A crash of the server has forgotten that somebody follows, too.
  if (!news.whole) said_.reset();
  if (!has_history_ || !news.whole) return begin(news.newest), false;
  if (news.changes.empty()) return false;
  std::set<std::string> kinds;
  for (const store::ObjectWrite& each : news.changes) kinds.insert(store::kind_topic(each.kind));
  standby_services_->history.publish(std::move(news.changes));
  standby_services_->notifier.notify({kinds.begin(), kinds.end()});
  return true;
}

http_server::Response Follower::handle(http_server::Request& request) {
  return has_history_ ? api_->handler(request) : http_server::refusal(store::not_leader());
}

}  // namespace paddock::app
