#include "tests/simulation/invariants.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "tests/simulation/cluster_invariants.h"

namespace paddock::simulation {

namespace {

using contracts::Run;
using contracts::RunEvent;
using contracts::RunPhase;

constexpr Millis kSilence{18'000};

const AgentHost* host_of(World& world, const Run& run) {
  for (const auto& host : world.hosts()) {
    if (host->name() == run.status.node_name) return host.get();
  }
  return nullptr;
}

template <class T>
const T* lookup(const std::map<std::string, T>& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

std::string key_of(const Run& run) { return attempt_key(run.metadata.uid, run.status.attempt); }

int64_t attempt_of(const RunEvent& event) {
  const auto data = wire::parse_json(event.data);
  const auto* attempt =
      data.ok() && data->find("attempt") ? data->find("attempt")->integer() : nullptr;
  return attempt == nullptr ? -1 : *attempt;
}

int rank_of(const RunEvent& event) {
  const auto data = wire::parse_json(event.data);
  const std::vector<std::string> order = {"Pending", "Scheduled", "Preparing", "Running"};
  const auto at = std::find(order.begin(), order.end(), data.ok() ? data->text("phase") : "");
  return static_cast<int>(at - order.begin());  // the ends are last
}

// Attempts of a run that a host could not begin; of a member of a gang also those of the others:
// all of them are placed again then. The uids of members begin as that of their gang.
std::set<int64_t> refused(World& world, const Run& run) {
  constexpr size_t kOfGang = 24;
  const std::string& uid = run.metadata.uid;
  const std::string whose = run.status.element ? uid.substr(0, kOfGang) : uid;
  std::set<int64_t> out;
  for (const auto& host : world.hosts()) {
    for (const auto& [attempt, outcome] : host->witness().refusals) {
      if (attempt.starts_with(whose))
        out.insert(parse_integer<int64_t>(attempt.substr(uid.size() + 1)).value());
    }
  }
  return out;
}

// Whether a member was ended because another one did not succeed.
bool ended_with_its_gang(const Run& run) {
  return run.status.element && run.status.reason == "GANG_ENDED";
}

int64_t most_attempts(const Run& run) { return run.spec.retry ? run.spec.retry->max_attempts : 1; }

std::string check_events(World& world, const Run& run, const std::vector<RunEvent>& events) {
  const std::set<int64_t> not_begun = refused(world, run);
  int64_t counted = 0;
  int64_t next = 1;
  int64_t ends = 0;
  int64_t attempt = 0;
  int rank = 0;
  for (const RunEvent& event : events) {
    if (event.id != next++) return "event ids have a gap";
    if (ends > 0) return "an event after the end";
    if (event.type == "end") ++ends;
    if (event.type != "phase") continue;
    const bool waits_again = rank > 0 && rank_of(event) == 0;
    if (waits_again && !not_begun.contains(attempt) && ++counted >= most_attempts(run))
      return "tried again though nobody allowed it";
    if (attempt_of(event) < attempt) return "an attempt went back";
    if (attempt_of(event) == attempt && rank_of(event) < rank && !waits_again)
      return "a phase went back within an attempt";
    attempt = attempt_of(event);
    rank = rank_of(event);
  }
  return (ends == 1) == ended(run) ? "" : "phase and end event disagree";
}

// What an attempt's command wrote, wherever it ran.
std::vector<std::string> written_by(World& world, const Run& run, int64_t attempt) {
  for (const auto& host : world.hosts()) {
    const auto* known = lookup(host->witness().written, attempt_key(run.metadata.uid, attempt));
    if (known != nullptr) return *known;
  }
  return {};
}

std::string check_output(World& world, const Run& run, const std::vector<RunEvent>& events) {
  std::map<int64_t, std::vector<std::string>> stored;
  int64_t attempt = 0;
  for (const RunEvent& event : events) {
    if (event.type == "phase") attempt = attempt_of(event);
    if (event.type == "stdout") stored[attempt].push_back(event.data);
  }
  for (const auto& [number, lines] : stored) {
    const auto written = written_by(world, run, number);
    const bool prefix =
        lines.size() <= written.size() && std::equal(lines.begin(), lines.end(), written.begin());
    if (!prefix) return "output is not what its command wrote, once and in order";
  }
  const bool told_by_host =
      ended(run) && run.status.reason != "NODE_LOST" && !run.status.node_name.empty();
  if (!told_by_host) return "";
  const size_t all = written_by(world, run, run.status.attempt).size();
  return stored[run.status.attempt].size() != all ? "ended without all its output" : "";
}

// What an attempt's command was given, wherever it ran, is what it was sent, each line once.
std::string check_input(World& world, const Run& run) {
  for (const auto& host : world.hosts()) {
    for (const auto& [attempt, lines] : host->witness().given) {
      if (!attempt.starts_with(run.metadata.uid)) continue;
      const auto& sent = world.sent_to(attempt);
      const bool prefix =
          lines.size() <= sent.size() && std::equal(lines.begin(), lines.end(), sent.begin());
      if (!prefix) return "input is not what was sent, once and in order";
    }
  }
  return "";
}

std::string check_starts(World& world, const Run& run) {
  const auto not_begun = static_cast<int64_t>(refused(world, run).size());
  if (run.status.refusals > not_begun) return "said to be refused, and was not";
  if (run.status.attempt > most_attempts(run) + run.status.refusals) return "placed too often";
  std::map<std::string, int> starts;  // by attempt, over all hosts
  for (const auto& host : world.hosts()) {
    for (const auto& [key, count] : host->witness().starts) {
      if (!key.starts_with(run.metadata.uid)) continue;
      if ((starts[key] += count) > 1) return "started twice";
      const bool device = !host->status().devices.empty();
      if (run.spec.resources->accelerators && !device) return "no accelerator here";
      const bool now = key == key_of(run) && !run.status.node_name.empty();
      if (now && host->name() != run.status.node_name) return "started where it was not placed";
    }
  }
  return "";
}

// A run that its host could not begin ends there only if nobody wants it any more, if too many
// could not, or if no other one is to be asked for its packages.
std::string check_not_begun(World& world, const Run& run) {
  const bool canceled = run.status.phase == RunPhase::kCanceled;
  if (canceled && world.cancel_was_asked(run)) return "";
  if (run.status.eviction && run.status.reason == run.status.eviction->reason) return "";
  if (run.status.reason == "ENVIRONMENT_UNAVAILABLE") return "";
  return run.status.refusals >= 10 ? "" : "ended though it was never begun";
}

std::string check_end(World& world, const Run& run) {
  if (!ended(run)) return "";
  const std::string& node = run.status.node_name;
  if (run.status.phase == RunPhase::kCanceled && !world.cancel_was_asked(run) &&
      !ended_with_its_gang(run)) {
    return "canceled though nobody asked";
  }
  if (run.status.reason == "DEADLINE_EXCEEDED" && !run.spec.deadline) return "it has no deadline";
  if (node.empty()) {
    const bool may =
        run.status.phase == RunPhase::kCanceled || run.spec.deadline || ended_with_its_gang(run);
    return may ? "" : "ended nowhere";
  }
  if (run.status.reason == "NODE_LOST") {
    return world.silence_of(node) >= kSilence ? "" : "given up though its node was heard from";
  }
  const AgentHost* host = host_of(world, run);
  const auto* end = host == nullptr ? nullptr : lookup(host->witness().ends, key_of(run));
  const bool not_begun =
      end == nullptr && host != nullptr && lookup(host->witness().refusals, key_of(run)) != nullptr;
  if (not_begun) return check_not_begun(world, run);
  if (end == nullptr) return cat("ended though its command did not: ", run.status.reason);
  if (run.status.eviction && !run.spec.cancel_requested && end->phase == RunPhase::kCanceled)
    return run.status.reason == run.status.eviction->reason ? "" : "evicted for another reason";
  const bool same = end->phase == run.status.phase && end->reason == run.status.reason;
  return same ? "" : "ended otherwise than on its host";
}

std::string check_refused(World& world, store::ReadTxn& txn) {
  for (const std::string& uid : world.refused()) {
    if (txn.run_by_uid(uid).ok()) return cat("run ", uid, ": refused, and there");
  }
  return "";
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
      if (skip) continue;
      const std::string found = check_run(world, txn, uid);
      if (wrong.empty() && !found.empty()) wrong = cat("run ", uid, ": ", found);
    }
    if (wrong.empty()) wrong = check_refused(world, txn);
    if (wrong.empty()) wrong = check_quota(txn);
    if (wrong.empty()) wrong = check_bounds(txn);
    for (const auto& host : world.hosts()) {
      if (wrong.empty()) wrong = check_load(*host, txn);
      if (wrong.empty()) wrong = check_dropped(*host, txn);
    }
    return {};
  });
  return read.ok() ? wrong : read.error().describe();
}

std::string Invariants::check_run(World& world, store::ReadTxn& txn, const std::string& uid) {
  const auto known = terminal_.find(uid);
  const auto run = txn.run_by_uid(uid);
  if (!run.ok()) return "acknowledged, and disappeared";
  const std::string now = wire::encode_json(*run);
  if (known != terminal_.end()) {
    const auto last = txn.last_event_id(uid);
    if (!last.ok() || known->second != cat(now, *last)) return "changed after it ended";
    if (run->spec.nodes) return check_gang(txn, *run);
    return check_starts(world, *run);
  }
  const auto events = txn.run_events(uid, 0, 0);
  if (!events.ok()) return events.error().describe();
  std::string wrong = run->spec.nodes ? check_gang(txn, *run) : check_all_of(world, *run, *events);
  if (wrong.empty() && ended(*run)) terminal_[uid] = cat(now, events->size());
  return wrong;
}

std::string Invariants::check_all_of(World& world, const Run& run, const Stream& events) {
  for (std::string wrong :
       {check_events(world, run, events), check_output(world, run, events), check_input(world, run),
        check_starts(world, run), check_end(world, run)}) {
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// A change of the bounds ends nothing: only who is placed after it must be within.
std::string Invariants::check_bounds(store::ReadTxn& txn) {
  const auto runs = txn.active_runs();
  if (!runs.ok()) return runs.error().describe();
  const auto grant = txn.find<contracts::Grant>({kBoundedSpace, "bound"});
  if (!grant.ok()) return grant.error().describe();
  std::set<std::string> placed;
  Held held;
  Held added;
  for (const Run& run : *runs) {
    const bool waits = run.status.phase == RunPhase::kPending || run.status.array;
    if (waits || run.metadata.name_space != kBoundedSpace) continue;
    const auto at = placed.insert(attempt_key(run.metadata.uid, run.status.attempt)).first;
    held.add(run);
    if (!bounded_.contains(*at)) added.add(run);
  }
  if (added.devices == 0) held.devices = 0;  // who takes none is let in beside those who have some
  const bool more = !std::ranges::includes(bounded_, placed);
  bounded_ = std::move(placed);
  const bool bounds = more && *grant && (*grant)->spec.compute->quota;
  return bounds ? held.beyond(*(*grant)->spec.compute->quota) : "";
}

std::string Invariants::check_dropped(const AgentHost& host, store::ReadTxn& txn) {
  const auto& dropped = host.witness().dropped;
  for (size_t& at = drops_checked_[host.name()]; at < dropped.size(); ++at) {
    const auto run = txn.run_by_uid(dropped[at].uid);
    const bool counted_on = run.ok() && !ended(*run) && run->status.node_name == host.name() &&
                            run->status.attempt == dropped[at].attempt;
    if (counted_on) return cat("run ", dropped[at].uid, ": dropped though it is still wanted");
  }
  return "";
}

}  // namespace paddock::simulation
