#include "controller/reconciler/reconciler.h"

#include <algorithm>
#include <utility>

#include "common/base/calendar_watch.h"
#include "common/base/crash_point.h"
#include "common/base/text.h"
#include "controller/reconciler/array_step.h"
#include "controller/reconciler/cluster_cache.h"
#include "controller/reconciler/steps.h"

namespace paddock::reconciler {

namespace {

// Bounds of one tick, so that writers behind it do not wait for long.
constexpr size_t kMostBindings = 1'000;
constexpr size_t kMostExplanations = 500;
constexpr Millis kPruneEvery{5'000};
constexpr Millis kSmallStep{3'000};  // of a calendar that a time server sets
// Between two starts; by no more can a calendar have leapt that is believed at the start.
constexpr Millis kLongestRest = std::chrono::hours(24);
// A run is told at once why it waits, as long as few come; the others, and that a reason changed,
// now and then: most of a burst are placed soon, and a queue that moves changes a hundred
// positions.
constexpr Millis kTellOthersEvery{1'000};
constexpr size_t kToldAtOnce = 50;

void add(TickReport& sum, const TickReport& one) {
  sum.bound += one.bound;
  sum.lost += one.lost;
  sum.expired += one.expired;
  sum.evicted += one.evicted;
  sum.pruned += one.pruned;
}

contracts::QuotaUse use_of(const scheduler::Charges& charged) {
  contracts::QuotaUse use{charged.runs, charged.cpu, {charged.memory}, {charged.disk}, {}};
  for (const auto& [kind, name] : wire::EnumNames<contracts::AcceleratorKind>::values) {
    const int64_t count = charged.devices[static_cast<size_t>(kind)];
    if (count > 0) use.accelerators.push_back({kind, count});
  }
  return use;
}

Error queue_full(const std::string& name_space, int64_t waiting, int64_t most, int64_t more) {
  const std::string asked = more == 1 ? "" : cat("; these would be ", more, " more");
  return {Code::kResourceExhausted, "QUOTA_PENDING",
          cat(waiting, " runs of namespace ", name_space, " wait already, and ", most, " may",
              asked, "; send it again when some of them have started")};
}

scheduler::Cluster::Config cluster_config(const Settings& settings) {
  return {scheduler::Quotas(settings.scheduling.quotas, settings.runs_per_namespace),
          settings.scheduling.preemption};
}

}  // namespace

struct Reconciler::State {
  explicit State(const Settings& settings) : cache(cluster_config(settings)) {}
  ClusterCache cache;
  // What a transaction that was undone may have changed: it is read anew.
  void forget() {
    cache.throw_away();
    given_up.clear();
  }
  // How many are on their way there. Those that are stored already, and not given back yet, are in
  // the cache.
  int64_t coming_to(const std::string& name_space) const;
  // Of QueueReservations: places by namespace and uid.
  std::map<std::pair<std::string, std::string>, int64_t> coming;
  std::set<std::string> given_up;  // silent nodes whose runs were given up
  MonoTime next_prune;
  std::optional<CalendarWatch> calendar;
  bool set_back = false;  // the calendar: what was written before may be due too late
  MonoTime tell_others;
  Totals totals;
};

int64_t Reconciler::State::coming_to(const std::string& name_space) const {
  auto at = coming.lower_bound({name_space, ""});
  int64_t count = 0;
  for (; at != coming.end() && at->first.first == name_space; ++at) {
    if (!cache.knows(at->first.second)) count += at->second;
  }
  return count;
}

Reconciler::Reconciler(store::Store& store, nodes::LeaseTable& leases, Settings settings)
    : store_(store),
      leases_(leases),
      settings_(std::move(settings)),
      quotas_(settings_.scheduling.quotas, settings_.runs_per_namespace),
      state_(std::make_unique<State>(settings_)) {}

Reconciler::~Reconciler() = default;

Result<TickReport> Reconciler::tick(nodes::Now now) {
  return state_.with([&](std::unique_ptr<State>& state) {
    auto report = tick(*state, now);
    if (!report.ok()) state->forget();  // nothing of it was kept
    return report;
  });
}

Millis Reconciler::look(nodes::Now now) {
  const Millis away = away_.with([&](Away& known) {
    if (!known.suspension) {  // from now on somebody listens
      known.suspension.emplace(look_every() * 2, now.wall, now.mono);
      leases_.begin_anew(now.mono);
    }
    const Millis found = known.suspension->look(now.wall, now.mono);
    known.owed += found;
    known.total += found;
    if (found > Millis(0)) known.leap.note(known.owed, now.mono);
    return found;
  });
  if (away > Millis(0)) leases_.begin_anew(now.mono);
  return away;
}

// Whoever asks may be the first to notice.
MonoTime Reconciler::lived(nodes::Now now) {
  const bool begun = away_.with([](const Away& known) { return known.suspension.has_value(); });
  if (begun) (void)look(now);
  return now.mono + away_.with([](const Away& known) { return -known.total; });
}

// A laptop that was shut overnight is no leap: one that is opened for less than an hour at a time
// would never forget anything.
Result<Millis> Reconciler::look_back(nodes::Now now) {
  std::vector<contracts::AuditEvent> newest;
  const Status read = store_.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(newest, txn.audit_events({.limit = 1}));
    return {};
  });
  if (read.ok() && newest.empty()) return Millis(0);
  // What cannot be read tells nothing, so it may have leapt.
  const Millis ahead = read.ok() ? now.wall - newest.front().time.value : LeapGuard::kHold;
  const bool leapt = ahead > kLongestRest || !read.ok();
  if (leapt) away_.with([&](Away& known) { known.leap.note(ahead, now.mono); });
  if (!read.ok()) return read.error();
  return leapt ? ahead : Millis(0);
}

bool Reconciler::may_forget(nodes::Now now) {
  (void)lived(now);
  return !leapt_lately(now.mono);
}

bool Reconciler::leapt_lately(MonoTime now) const {
  return away_.with([&](const Away& known) { return known.leap.holds(now); });
}

// Everything that a tick writes, in one transaction.
Status Reconciler::work(store::WriteTxn& txn, State& state, nodes::Now now, Millis owed, bool full,
                        TickReport& report) {
  ClusterCache& cache = state.cache;
  TRY(cache.catch_up(txn));
  TRY(put_off_sessions(txn, owed));
  if (state.set_back) TRY(bring_sessions_nearer(txn, now.wall));
  TRY(mark_silent_nodes(txn, cache, leases_, now.mono));
  TRY(give_up_lost(txn, cache, leases_, state.given_up, now, report));
  TRY(end_rests(txn, cache, now.wall));
  TRY(end_overdue(txn, cache, now.wall, report));
  TRY(sweep_sessions(txn, now.wall, report));
  TRY(end_on_drained_nodes(txn, cache, now.wall, report));
  TRY(end_sessions_on_drained_nodes(txn, cache, now.wall));
  TRY(advance_arrays(txn, state, full, now.wall, report));
  if (!full) TRY(place(txn, state, now, report));
  TRY(advance_arrays(txn, state, full, now.wall, report));  // their first elements may be placed
  if (now.mono < state.next_prune) return {};
  const bool leapt = leapt_lately(now.mono);
  // As of the first day nothing is old, and what is too much goes all the same.
  const WallTime calendar = leapt ? WallTime() : now.wall;
  TRY(prune(txn, settings_.retention, calendar, report));
  TRY(prune_audit(txn, settings_.retention, calendar, report));
  if (!leapt) TRY(prune_tokens(txn, settings_.retention, now.wall, report));
  if (report.pruned == 0) state.next_prune = now.mono + kPruneEvery;
  return {};
}

Status Reconciler::advance_arrays(store::WriteTxn& txn, State& state, bool full, WallTime now,
                                  TickReport& report) {
  TRY(state.cache.catch_up(txn));
  const auto room = [&](const contracts::Run& array) -> ArrayStep::Places {
    const std::string& space = array.metadata.name_space;
    const auto& most = quotas_.of(space).pending;
    if (!most) return {contracts::kMostElements, false};
    const QueueCount& queue = state.cache.queue();
    const bool has_own = queue.has_own_place(array.metadata.uid);
    const int64_t others = queue.waiting_in(space) - int64_t{has_own};
    return {*most - others - state.coming_to(space), has_own};
  };
  ArrayStep step(txn, state.cache.arrays(), room, !full, now);
  TRY(step.run());
  report.more = step.more();
  return {};
}

// On a full disk nothing: what runs writes.
Status Reconciler::place(store::WriteTxn& txn, State& state, nodes::Now now, TickReport& report) {
  ClusterCache& cache = state.cache;
  TRY(cache.catch_up(txn));
  TRY(write_plan(txn, cache.cluster().pass(now.wall, kMostBindings), now.wall, report));
  const bool others = now.mono >= state.tell_others;
  TRY(write_reasons(txn, cache.cluster().explain(kMostExplanations, others, kToldAtOnce),
                    now.wall));
  if (others) state.tell_others = now.mono + kTellOthersEvery;
  return {};
}

Status Reconciler::catch_up(State& state) {
  return store_.read([&](store::ReadTxn& txn) { return state.cache.catch_up(txn); });
}

void Reconciler::publish_quota_use(const ClusterCache& cache) {
  std::map<std::string, contracts::QuotaUse> use;
  for (const auto& [space, granted] : cache.cluster().config().quotas.granted())
    use[space] = use_of(cache.cluster().charged(space));
  quota_use_.with([&](auto& published) { published.swap(use); });
}

std::optional<contracts::QuotaUse> Reconciler::quota_use(const std::string& name_space) const {
  return quota_use_.with([&](const auto& published) -> std::optional<contracts::QuotaUse> {
    const auto found = published.find(name_space);
    if (found == published.end()) return std::nullopt;
    return found->second;
  });
}

Result<TickReport> Reconciler::tick(State& state, nodes::Now now) {
  if (!state.cache.whole()) TRY(catch_up(state));  // the long way outside of the writer
  if (!state.calendar) state.calendar.emplace(kSmallStep, now.wall, now.mono);
  if (state.calendar->look(now.wall, now.mono) > Millis(0)) state.set_back = true;
  TickReport report;
  const Millis owed = away_.with([](const Away& away) { return away.owed; });
  const bool full = store::is_full(store_.check_writable());
  bool tried = false;
  const auto all = [&](store::WriteTxn& txn) {
    if (std::exchange(tried, true)) state.forget();  // the first time was undone
    report = {};
    return work(txn, state, now, owed, full, report);
  };
  const Status worked = full ? store_.write_freeing(all) : store_.write(all);
  if (!worked.ok()) return worked.error();
  away_.with([&](Away& away) { away.owed -= owed; });
  state.set_back = false;
  if (report.bound > 0) PADDOCK_CRASH_POINT("placement-stored");
  publish_quota_use(state.cache);
  const scheduler::Cluster& cluster = state.cache.cluster();
  // A gang may exceed it.
  const bool more = report.bound >= static_cast<int64_t>(kMostBindings) || report.pruned > 0 ||
                    report.more || cluster.owes_explanations();
  report.waiting = static_cast<int64_t>(cluster.waiting());
  report.next = more ? Millis(0) : next_tick(state.cache, leases_, now);
  report.next = std::min({report.next, report.next_session, report.next_drain});
  if (cluster.others_may_differ())
    report.next = std::min(report.next, state.tell_others - now.mono);
  add(state.totals.sum, report);
  ++state.totals.ticks;
  return report;
}

Result<scheduler::Preview> Reconciler::preview(const contracts::Run& run) {
  return state_.with([&](std::unique_ptr<State>& state) -> Result<scheduler::Preview> {
    TRY(catch_up(*state));
    return state->cache.cluster().preview(run);
  });
}

Status Reconciler::check_bounds(const contracts::Run& run) const {
  const std::string& space = run.metadata.name_space;
  const scheduler::Quota& quota = quotas_.of(space);
  if (quota.max_priority && run.spec.priority > *quota.max_priority) {
    const std::string message = cat("priority ", run.spec.priority, " is over the ",
                                    *quota.max_priority, " that namespace ", space, " may use");
    return Error{Code::kPermissionDenied, "QUOTA_PRIORITY", message, {{"spec.priority", message}}};
  }
  TRY(check_gang(space, run));
  return scheduler::check_alone(space, {}, scheduler::bounds_of(quota),
                                scheduler::whole_charge_of(scheduler::demand_of(run)));
}

// That all of its members may wait at once, and be placed at once.
Status Reconciler::check_gang(const std::string& space, const contracts::Run& run) const {
  if (!contracts::is_gang(run.spec)) return {};
  const scheduler::Quota& quota = quotas_.of(space);
  const int64_t places = queue_places(run.spec);
  const auto refuse = [&](const std::string& why) {
    const std::string message =
        cat("namespace ", space, " ", why, "; fewer nodes, or ask the operator for more");
    return Error{Code::kPermissionDenied, "QUOTA_TOO_SMALL", message, {{"spec.nodes", message}}};
  };
  if (quota.pending && places > *quota.pending)
    return refuse(cat("may have ", *quota.pending, " runs that wait (pending), and this gang has ",
                      places, " members"));
  const int64_t most = settings_.runs_per_namespace;
  if (most > 0 && !quota.runs && *run.spec.nodes > most)
    return refuse(cat("may have ", most, " runs at once (maxRunsPerNamespace), and this gang has ",
                      *run.spec.nodes, " members"));
  return {};
}

Result<QueueReservation> Reconciler::reserve_queue(const std::string& name_space,
                                                   std::vector<std::string> uids) {
  std::map<std::string, int64_t> places;
  for (std::string& uid : uids) places.emplace(std::move(uid), 1);
  return reserve_places(name_space, std::move(places));
}

Result<QueueReservation> Reconciler::reserve_places(const std::string& name_space,
                                                    std::map<std::string, int64_t> places) {
  const scheduler::Quota& quota = quotas_.of(name_space);
  if (!quota.pending) return QueueReservation();
  return state_.with([&](std::unique_ptr<State>& state) -> Result<QueueReservation> {
    TRY(catch_up(*state));
    const int64_t waiting =
        state->cache.queue().waiting_in(name_space) + state->coming_to(name_space);
    int64_t more = 0;
    for (const auto& [uid, count] : places) more += count;
    if (waiting + more > *quota.pending)
      return queue_full(name_space, waiting, *quota.pending, more);
    for (const auto& [uid, count] : places) state->coming[{name_space, uid}] = count;
    return QueueReservation([this, name_space, places = std::move(places)] {
      state_.with([&](std::unique_ptr<State>& held) {
        for (const auto& [uid, count] : places) held->coming.erase({name_space, uid});
      });
    });
  });
}

Result<QueueReservation> Reconciler::reserve_session(const contracts::Sandbox& session) {
  return state_.with([&](std::unique_ptr<State>& state) -> Result<QueueReservation> {
    TRY(catch_up(*state));
    const std::string& space = session.metadata.name_space;
    const scheduler::Cluster& cluster = state->cache.cluster();
    TRY(cluster.config().quotas.check_session(space, cluster.charged(space),
                                              scheduler::charge_of(session)));
    state->cache.hold(session);
    return QueueReservation([this, uid = session.metadata.uid] {
      state_.with([&](std::unique_ptr<State>& held) { held->cache.let_go(uid); });
    });
  });
}

Totals Reconciler::totals() const {
  return state_.with([](const std::unique_ptr<State>& state) {
    Totals out = state->totals;
    const scheduler::Cluster& cluster = state->cache.cluster();
    out.reloads = state->cache.reloads();
    out.waiting = static_cast<int64_t>(cluster.waiting());
    out.placed = static_cast<int64_t>(cluster.placed());
    out.usage = cluster.usage();
    return out;
  });
}

Result<std::pair<std::string, std::string>> Reconciler::fingerprints() {
  return state_.with(
      [&](std::unique_ptr<State>& state) -> Result<std::pair<std::string, std::string>> {
        ClusterCache fresh(cluster_config(settings_));
        TRY(catch_up(*state));
        TRY(store_.read([&](store::ReadTxn& txn) { return fresh.catch_up(txn); }));
        return std::pair(state->cache.cluster().fingerprint(), fresh.cluster().fingerprint());
      });
}

}  // namespace paddock::reconciler
