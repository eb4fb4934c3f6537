// Questions that are asked before a run or session is made: whether quotas allow it, a place in the
// queue for it, and what would become of it.
#include <utility>

#include "common/base/text.h"
#include "controller/reconciler/reconciler_state.h"

namespace paddock::reconciler {
namespace {

Error queue_full(const std::string& name_space, int64_t waiting, int64_t most, int64_t more) {
  const std::string asked = more == 1 ? "" : cat("; these would be ", more, " more");
  return {Code::kResourceExhausted, "QUOTA_PENDING",
          cat(waiting, " runs of namespace ", name_space, " wait already, and ", most, " may",
              asked, "; send it again when some of them have started")};
}

}  // namespace

int64_t Reconciler::State::coming_to(const std::string& name_space) const {
  auto at = coming.lower_bound({name_space, ""});
  int64_t count = 0;
  for (; at != coming.end() && at->first.first == name_space; ++at) {
    if (!cache.knows(at->first.second)) count += at->second;
  }
  return count;
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

// Checks that all members of the gang may wait at once, and be placed at once.
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

}  // namespace paddock::reconciler
