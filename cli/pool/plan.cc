#include "cli/pool/plan.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

// A pilot that is on its way, and what of it nobody has taken.
struct Room {
  PilotSize left;
  std::string what;              // for people
  const Pilot* pilot = nullptr;  // a queued one: it can be canceled
  bool taken = false;
};

bool take(Room& room, const PilotSize& needs) {
  PilotSize& left = room.left;
  if (needs.cpus > left.cpus || needs.memory_mib > left.memory_mib || needs.gpus > left.gpus)
    return false;
  left = {left.cpus - needs.cpus, left.memory_mib - needs.memory_mib, left.gpus - needs.gpus};
  return room.taken = true;
}

bool is_coming(const Pilot& pilot, const PoolState& state) {
  if (pilot.state == PilotState::kQueued) return true;
  return pilot.state == PilotState::kRunning && !state.settled.contains(pilot.job);
}

bool is_stuck(const Pilot& pilot, const PoolState& state) {
  return pilot.state == PilotState::kRunning && !state.joined.contains(pilot.job) &&
         pilot.started && state.now - *pilot.started > kLongestJoining;
}

std::string coming_text(const Pilot& pilot) {
  if (pilot.state == PilotState::kRunning) return cat("job ", pilot.job, " has started");
  const bool told = !pilot.why.empty() && pilot.why != "None";
  return cat("job ", pilot.job, " waits in Slurm's queue", told ? cat(" (", pilot.why, ")") : "");
}

std::vector<Room> rooms_of(const PoolState& state) {
  std::vector<Room> rooms;
  for (const Pilot& pilot : state.pilots) {
    if (!is_coming(pilot, state) || is_stuck(pilot, state)) continue;
    const bool queued = pilot.state == PilotState::kQueued;
    rooms.push_back({pilot.size, coming_text(pilot), queued ? &pilot : nullptr});
  }
  for (const auto& [key, size] : state.in_doubt)
    rooms.push_back({size, "a job was submitted, and Slurm does not list it yet"});
  return rooms;
}

// The limit that forbids one more pilot; empty: none does.
std::string limit_reached(const PoolState& state, const PoolSettings& settings) {
  const auto doubts = static_cast<int64_t>(state.in_doubt.size());
  const int64_t all = static_cast<int64_t>(state.pilots.size()) + doubts;
  if (all >= settings.max_pilots)
    return cat(all, " of ", settings.max_pilots, " pilots are there (maxPilots)");
  const int64_t queued =
      doubts + std::ranges::count(state.pilots, PilotState::kQueued, &Pilot::state);
  if (queued >= settings.max_queued)
    return cat(queued, " of ", settings.max_queued, " pilots wait in Slurm's queue (maxQueued)");
  if (state.last_submission && state.mono - *state.last_submission < settings.submit_every.value)
    return cat("the next pilot is submitted ", format_duration(settings.submit_every.value),
               " after the last one (submitEvery)");
  return "";
}

}  // namespace

PoolPlan plan_pool(const PoolState& state, const PoolSettings& settings) {
  PoolPlan plan;
  std::vector<Room> rooms = rooms_of(state);
  const std::string limit = limit_reached(state, settings);
  for (const WaitingRun& run : state.waiting) {
    const auto room =
        std::ranges::find_if(rooms, [&](Room& each) { return take(each, run.needs); });
    if (room != rooms.end()) {
      plan.coming[run.uid] = room->what;
    } else if (!limit.empty()) {
      plan.held[run.uid] = limit;
    } else if (plan.submit) {
      plan.held[run.uid] = "a pilot is submitted for runs before it";
    } else {
      plan.submit = size_for(run.needs, settings.size);
      rooms.push_back({*plan.submit, "a pilot is being submitted"});
      take(rooms.back(), run.needs);
      plan.coming[run.uid] = rooms.back().what;
    }
  }
  for (const Pilot& pilot : state.pilots) {
    if (is_stuck(pilot, state)) plan.cancel.push_back(pilot);
  }
  for (const Room& room : rooms) {
    if (room.pilot != nullptr && !room.taken) plan.cancel.push_back(*room.pilot);
  }
  return plan;
}

}  // namespace paddock::cli
