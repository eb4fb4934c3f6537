#include "controller/reconciler/reconciler.h"

#include <algorithm>
#include <utility>

#include "common/base/crash_point.h"
#include "common/base/text.h"
#include "controller/reconciler/array_step.h"
#include "controller/reconciler/reconciler_state.h"
#include "controller/reconciler/steps.h"

namespace paddock::reconciler {

namespace {

// Bounds of one tick, so that writers behind it do not wait for long.
constexpr size_t kMostBindings = 1'000;
constexpr size_t kMostExplanations = 500;
constexpr Millis kPruneEvery{5'000};
constexpr Millis kSmallStep{3'000};  // of a calendar that a time server sets
// A run is told at once why it waits, as long as few come, and the others a round later: most of a
// burst are placed soon.
constexpr Millis kRound{1'000};
constexpr size_t kToldAtOnce = 50;
// That a reason changed is told now and then, and less often the more are told: each is a write of
// its run, and a queue that moves changes a hundred positions.
constexpr Millis kForEachToldAgain{50};
constexpr Millis kLongestUntold{5'000};

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

}  // namespace

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
    failing_.with([&](Failing& failing) {
      failing = report.ok() ? Failing{} : Failing{failing.in_a_row + 1, report.error()};
    });
    return report;
  });
}

Status Reconciler::check_works() const {
  constexpr int64_t kMostFailures = 5;
  return failing_.with([](const Failing& failing) -> Status {
    if (failing.in_a_row < kMostFailures) return {};
    return Error{Code::kUnavailable, failing.last.reason,
                 cat("scheduling fails: ", failing.last.describe())};
  });
}

// Everything that a tick writes, in one transaction.
Status Reconciler::work(store::WriteTxn& txn, State& state, nodes::Now now, Millis owed, bool full,
                        TickReport& report) {
  ClusterCache& cache = state.cache;
  TRY(cache.catch_up(txn));
  TRY(put_off_sessions(txn, now.wall, owed));
  if (state.set_back) TRY(bring_sessions_nearer(txn, now.wall));
  TRY(mark_silent_nodes(txn, cache, leases_, now.mono));
  TRY(give_up_lost(txn, cache, leases_, state.given_up, now, report));
  TRY(end_rests(txn, cache, now.wall));
  TRY(end_overdue(txn, cache, now.wall, report));
  TRY(kill_deleted(txn, cache, now.wall));
  TRY(sweep_sessions(txn, now.wall, report));
  TRY(end_on_drained_nodes(txn, cache, now.wall, report));
  TRY(end_sessions_on_drained_nodes(txn, cache, now.wall));
  TRY(advance_arrays(txn, state, full, now.wall, report));
  if (!full) TRY(place(txn, state, now, report));
  TRY(advance_arrays(txn, state, full, now.wall, report));  // their first elements may be placed
  if (!full) TRY(tell_of_nodes(txn, cache, now.wall, report));
  return forget_old(txn, state, now, report);
}

Status Reconciler::forget_old(store::WriteTxn& txn, State& state, nodes::Now now,
                              TickReport& report) {
  if (now.mono < state.next_prune) return {};
  const bool leapt = leapt_lately(now.mono);
  // After a leap of the calendar, nothing is removed for its age: by the first day of the calendar
  // nothing is old. What exceeds a number is removed all the same.
  const WallTime calendar = leapt ? WallTime() : now.wall;
  TRY(prune(txn, settings_.retention, state.finished, calendar, report));
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
  if (now.mono >= state.next_round) {
    cache.cluster().begin_round();
    state.next_round = now.mono + kRound;
  }
  const bool others = now.mono >= state.tell_others;
  ASSIGN_OR_RETURN(
      const int64_t again,
      write_reasons(txn, cache.cluster().explain(kMostExplanations, others, kToldAtOnce),
                    now.wall));
  if (others)
    state.tell_others = now.mono + std::clamp(again * kForEachToldAgain, kRound, kLongestUntold);
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
  if (now.mono >= state.next_prune)
    TRY(state.finished.look(store_, settings_.retention.max_finished_runs));
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
                    report.more || (!full && cluster.owes_explanations());
  report.waiting = static_cast<int64_t>(cluster.waiting());
  report.next = more ? Millis(0) : next_tick(state.cache, leases_, now);
  report.next = std::min({report.next, report.next_session, report.next_drain});
  if (cluster.has_unexplained()) report.next = std::min(report.next, state.next_round - now.mono);
  if (cluster.others_may_differ())
    report.next = std::min(report.next, state.tell_others - now.mono);
  if (full && !more) report.next = std::max(report.next, kRound);  // nothing is placed or explained
  add(state.totals.sum, report);
  ++state.totals.ticks;
  return report;
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
