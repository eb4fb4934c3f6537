#include "cli/pool/plan.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

// A pilot, and what of it nobody has taken.
struct Place {
  PilotSize left;
  bool for_gangs = false;  // a run alone is not to count on it
};

// A job that is on its way, and those of its pilots that may take what waits.
struct Room {
  std::vector<Place> places;
  std::string what;              // for people
  const Pilot* pilot = nullptr;  // a queued one: it can be canceled
  bool taken = false;
};

// A job that has not started. One of several pilots is for a gang alone: for the sake of a run on
// one of them it would wait in the queue until there is a host for each.
Room room_in(const PilotSize& size, std::string what, const Pilot* pilot = nullptr) {
  const Place each{size, size.nodes > 1};
  return {std::vector<Place>(static_cast<size_t>(size.nodes), each), std::move(what), pilot};
}

// All of it or nothing.
bool take(Room& room, const PilotSize& needs) {
  std::vector<PilotSize*> fit;
  for (auto& [left, for_gangs] : room.places) {
    if (for_gangs && needs.nodes == 1) continue;
    if (needs.cpus <= left.cpus && needs.memory_mib <= left.memory_mib && needs.gpus <= left.gpus)
      fit.push_back(&left);
  }
  if (static_cast<int64_t>(fit.size()) < needs.nodes) return false;
  fit.resize(static_cast<size_t>(needs.nodes));
  for (PilotSize* left : fit) {
    left->cpus -= needs.cpus;
    left->memory_mib -= needs.memory_mib;
    left->gpus -= needs.gpus;
  }
  return room.taken = true;
}

int64_t count_in(const std::set<std::string>& pilots, const Pilot& job) {
  return std::ranges::count_if(pilots_of(job),
                               [&](const std::string& each) { return pilots.contains(each); });
}

bool is_coming(const Pilot& pilot, const PoolState& state) {
  if (pilot.state == PilotState::kQueued) return true;
  return pilot.state == PilotState::kRunning && count_in(state.settled, pilot) < pilot.size.nodes;
}

bool is_stuck(const Pilot& pilot, const PoolState& state) {
  return pilot.state == PilotState::kRunning && count_in(state.joined, pilot) < pilot.size.nodes &&
         pilot.started && state.now - *pilot.started > kLongestJoining;
}

std::string coming_text(const Pilot& pilot, const PoolState& state) {
  if (pilot.state == PilotState::kRunning) {
    const std::string text = cat("job ", pilot.job, " has started");
    if (pilot.size.nodes == 1) return text;
    return cat(text, ", and ", count_in(state.joined, pilot), " of its ", pilot.size.nodes,
               " pilots have joined");
  }
  const bool told = !pilot.why.empty() && pilot.why != "None";
  return cat("job ", pilot.job, " waits in Slurm's queue", told ? cat(" (", pilot.why, ")") : "");
}

// A job that has started: a pilot that has settled has taken what it can of runs alone, and waits
// for the others with its gang.
Room room_of(const Pilot& job, const PoolState& state) {
  Room room{{}, coming_text(job, state)};
  for (const std::string& pilot : pilots_of(job)) {
    if (!state.left.contains(pilot))
      room.places.push_back({job.size, state.settled.contains(pilot)});
  }
  return room;
}

std::vector<Room> rooms_of(const PoolState& state) {
  std::vector<Room> rooms;
  for (const Pilot& pilot : state.pilots) {
    if (!is_coming(pilot, state) || is_stuck(pilot, state)) continue;
    const bool queued = pilot.state == PilotState::kQueued;
    rooms.push_back(queued ? room_in(pilot.size, coming_text(pilot, state), &pilot)
                           : room_of(pilot, state));
  }
  for (const auto& [key, size] : state.in_doubt)
    rooms.push_back(room_in(size, "a job was submitted, and Slurm does not list it yet"));
  return rooms;
}

int64_t pilots_there(const PoolState& state) {
  int64_t all = 0;
  for (const Pilot& pilot : state.pilots) all += pilot.size.nodes;
  for (const auto& [key, size] : state.in_doubt) all += size.nodes;
  return all;
}

// That no pilots are left for this run; empty: there are.
std::string too_many(int64_t there, const WaitingRun& run, const PoolSettings& settings) {
  const int64_t wanted = run.needs.nodes;
  if (there + wanted <= settings.max_pilots) return "";
  return cat(there, " of ", settings.max_pilots, " pilots are there (maxPilots)",
             wanted > 1 ? cat(", and its ", wanted, " members need one each") : "");
}

// What sbatch said to a job of that size a while ago; empty: nothing.
std::string refused_before(const PoolState& state, const PilotSize& size) {
  const auto refusal = std::ranges::find(state.refused, size, &Refusal::size);
  return refusal == state.refused.end() ? "" : refusal->why;
}

// The limit that forbids one more job; empty: none does.
std::string limit_reached(const PoolState& state, const PoolSettings& settings) {
  const int64_t queued = static_cast<int64_t>(state.in_doubt.size()) +
                         std::ranges::count(state.pilots, PilotState::kQueued, &Pilot::state);
  if (queued >= settings.max_queued)
    return cat(queued, " of ", settings.max_queued, " jobs wait in Slurm's queue (maxQueued)");
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
  const int64_t there = pilots_there(state);
  for (const WaitingRun& run : state.waiting) {
    const auto room =
        std::ranges::find_if(rooms, [&](Room& each) { return take(each, run.needs); });
    const PilotSize wanted = size_for(run.needs, settings.size);
    const std::string refused = refused_before(state, wanted);
    const std::string full = too_many(there, run, settings);
    if (room != rooms.end()) {
      plan.coming[run.uid] = room->what;
    } else if (!refused.empty()) {
      plan.held[run.uid] = refused;
    } else if (!full.empty()) {
      plan.held[run.uid] = full;
    } else if (!limit.empty()) {
      plan.held[run.uid] = limit;
    } else if (plan.submit) {
      plan.held[run.uid] = "a pilot is submitted for runs before it";
    } else {
      plan.submit = wanted;
      rooms.push_back(room_in(wanted, kBeingSubmitted));
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
