// The state that a Reconciler keeps between two ticks. Only this module includes it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "controller/reconciler/calendar_watch.h"
#include "controller/reconciler/cluster_cache.h"
#include "controller/reconciler/finished_count.h"
#include "controller/reconciler/reconciler.h"

namespace paddock::reconciler {

inline scheduler::Cluster::Config cluster_config(const Settings& settings) {
  return {scheduler::Quotas(settings.scheduling.quotas, settings.runs_per_namespace),
          settings.scheduling.preemption};
}

struct Reconciler::State {
  explicit State(const Settings& settings) : cache(cluster_config(settings)) {}
  ClusterCache cache;
  // Drops everything that an undone transaction may have changed; it is read anew.
  void forget() {
    cache.throw_away();
    given_up.clear();
  }
  // The number of places that are reserved for runs on their way to the store. Those that are
  // stored, and not given back yet, are in the cache too.
  int64_t coming_to(const std::string& name_space) const;
  // Of QueueReservations: places by namespace and uid.
  std::map<std::pair<std::string, std::string>, int64_t> coming;
  std::set<std::string> given_up;  // silent nodes whose runs were given up
  MonoTime next_prune;
  FinishedCount finished;
  std::optional<CalendarWatch> calendar;
  bool set_back = false;  // the calendar: what was written before may be due too late
  MonoTime next_round;    // of new runs that are told why they wait
  MonoTime tell_others;   // those that know already, if their reason changed
  Totals totals;
};

}  // namespace paddock::reconciler
