#include "tests/simulation/invariants.h"

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::simulation {

namespace {

bool ended(const contracts::Run& run) {
  return run.status.phase == contracts::RunPhase::kSucceeded ||
         run.status.phase == contracts::RunPhase::kFailed ||
         run.status.phase == contracts::RunPhase::kCanceled;
}

const AgentModel* agent_named(World& world, const std::string& name) {
  for (const auto& agent : world.agents()) {
    if (agent->name() == name) return agent.get();
  }
  return nullptr;
}

}  // namespace

std::string Invariants::check(World& world, bool thorough) {
  if (!world.broken().empty()) return world.broken();
  ++checks_;
  std::string wrong;
  const Status read = world.store().read([&](store::ReadTxn& txn) -> Status {
    size_t turn = checks_;
    for (const std::string& uid : world.acknowledged()) {
      const bool skip = !thorough && terminal_.contains(uid) && ++turn % kAgainEvery != 0;
      if (wrong.empty() && !skip) wrong = check_run(world, txn, uid);
    }
    if (wrong.empty()) wrong = check_nodes(world, txn);
    return {};
  });
  return read.ok() ? wrong : read.error().describe();
}

std::string Invariants::check_run(World& world, store::ReadTxn& txn, const std::string& uid) {
  const auto known = terminal_.find(uid);
  const auto run = txn.run_by_uid(uid);
  if (!run.ok()) return cat("acknowledged run ", uid, " disappeared");
  const std::string now = wire::to_json(wire::encode(*run));
  if (known != terminal_.end()) {
    const auto last = txn.last_event_id(uid);
    if (known->second != cat(now, last.value())) return cat("ended run ", uid, " changed");
    return {};
  }
  const auto events = txn.run_events(uid, 0, 0);
  if (!events.ok()) return events.error().describe();
  std::string wrong = check_stream(world, *run, *events);
  if (wrong.empty() && ended(*run)) terminal_[uid] = cat(now, events->size());
  return wrong;
}

std::string Invariants::check_stream(World& world, const contracts::Run& run,
                                     const std::vector<contracts::RunEvent>& events) {
  const std::string& uid = run.metadata.uid;
  std::vector<std::string> output;
  int64_t next = 1;
  int64_t ends = 0;
  for (const contracts::RunEvent& event : events) {
    if (event.id != next++) return cat("run ", uid, ": event ids have a gap at ", event.id);
    if (ends > 0) return cat("run ", uid, ": an event after the end");
    if (event.type == "end") ++ends;
    if (event.type == "stdout") output.push_back(event.data);
  }
  if ((ends == 1) != ended(run)) return cat("run ", uid, ": phase and end event disagree");
  if (run.status.attempt > 1) return cat("run ", uid, ": placed twice");

  const AgentModel* agent = agent_named(world, run.status.node_name);
  if (agent == nullptr) return output.empty() ? "" : cat("run ", uid, ": output from nowhere");
  const std::string key = attempt_key(uid, run.status.attempt);
  const auto at = agent->written().find(key);
  const std::vector<std::string> written =
      at == agent->written().end() ? std::vector<std::string>() : at->second;
  const bool prefix =
      output.size() <= written.size() && std::equal(output.begin(), output.end(), written.begin());
  if (!prefix) return cat("run ", uid, ": output is not what its command wrote, once and in order");
  const bool reported = ended(run) && run.status.reason.empty();
  if (reported && output.size() != written.size())
    return cat("run ", uid, ": ended without all its output");
  for (const auto& other : world.agents()) {
    const auto starts = other->starts().find(key);
    if (starts == other->starts().end()) continue;
    if (other.get() != agent || starts->second > 1) return cat("run ", uid, ": started twice");
    const bool device = !other->host().devices.empty();
    if (run.spec.resources->accelerators && !device)
      return cat("run ", uid, ": no accelerator here");
  }
  return {};
}

std::string Invariants::check_nodes(World& world, store::ReadTxn& txn) {
  for (const auto& agent : world.agents()) {
    const auto runs = txn.active_runs_on(agent->name());
    if (!runs.ok()) return runs.error().describe();
    int64_t cpu = 0;
    int64_t memory = 0;
    int64_t devices = 0;
    for (const contracts::Run& run : *runs) {
      const contracts::Resources& asked = *run.spec.resources;
      cpu += asked.cpu.value_or(0);
      memory += asked.memory ? asked.memory->bytes : 0;
      devices += asked.accelerators ? asked.accelerators->count : 0;
    }
    const contracts::NodeStatus& host = agent->host();
    if (static_cast<int64_t>(runs->size()) > host.capacity.max_runs)
      return "too many runs on a node";
    if (cpu > host.capacity.cpu) return "more cores promised than there are";
    if (memory > host.capacity.memory.bytes) return "more memory promised than there is";
    if (devices > static_cast<int64_t>(host.devices.size())) return "a device promised twice";
  }
  return {};
}

}  // namespace paddock::simulation
