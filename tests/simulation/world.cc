#include "tests/simulation/world.h"

#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "controller/nodes/drain_and_cordon.h"
#include "controller/nodes/registry.h"
#include "controller/reconciler/reconciler.h"
#include "controller/runs/kept_off.h"
#include "controller/store/run_writes.h"

namespace paddock::simulation {

namespace {

constexpr Millis kShortStep{3'000};

}  // namespace

World::World(uint64_t seed, Faults faults, Tampering tampering)
    : random_(seed),
      faults_(faults),
      tampering_(std::move(tampering)),
      pauses_(seed ^ 0x9a05e5),
      gangs_(seed ^ 0x6a965),
      has_gangs_(seed % 3 == 1) {
  store_ =
      std::make_unique<FaultyStore>(store::Store::open({}).value(), seed, tampering_.disk_lies);
  preemption_ = random_.below(3) == 0;
  start_controller();
  const auto count = static_cast<int64_t>(1 + random_.below(4));
  for (int64_t i = 0; i < count; ++i) add_host(i);
  store_->refuse(faults_.disk);
}

// What it remembers is gone; the store stays.
void World::start_controller() {
  leases_ = std::make_unique<nodes::LeaseTable>(clock_.mono());
  reconciler::Settings settings;
  scheduler::Quota quota;
  quota.runs = kLimitedRuns;
  settings.scheduling.quotas = {{"limited", quota}};
  settings.scheduling.preemption = preemption_;
  reconciler_ = std::make_unique<reconciler::Reconciler>(*store_, *leases_, settings);
  listening_ = lived_;
}

// But what the disk refuses: whoever wanted it tries again, or not.
void World::must(const Status& status, const char* what) {
  if (!quiet_ && FaultyStore::is_refusal(status)) return;
  if (!status.ok() && broken_.empty()) broken_ = cat(what, ": ", status.error().describe());
}

void World::add_host(int64_t index) {
  contracts::NodeStatus host;
  host.capacity.cpu = static_cast<int64_t>(2 + random_.below(6));
  host.capacity.memory.bytes = static_cast<int64_t>(2 + random_.below(6)) << 30;
  host.capacity.max_runs = static_cast<int64_t>(1 + random_.below(4));
  // The first host always has a device and room, so that every run fits somewhere.
  if (index == 0) {
    host.devices = {{"nvidia", "0", "model"}};
    host.capacity.cpu = 8;
    host.capacity.memory.bytes = 8LL << 30;
  }
  host.allocatable_disk = host.capacity.memory;
  contracts::EnrollRequest request;
  request.identity = cat("identity-of-a-simulated-agent-number-", index);
  const std::string name = cat("node-", index);
  const auto enrolled = nodes::enroll(*store_, name, request, clock_.wall(), random_);
  must(enrolled.ok() ? Status() : Status(enrolled.error()), "enroll");
  hosts_.push_back(std::make_unique<AgentHost>(name, host, random_, tampering_, faults_.refuse));
  hosts_.back()->start(clock_.wall());
  cut_off_until_.push_back({});
  down_until_.push_back({});
}

Millis World::silence_of(const std::string& host) const {
  const auto found = heard_.find(host);
  return lived_ - (found == heard_.end() ? listening_ : std::max(found->second, listening_));
}

void World::submit_run() {
  contracts::Run run;
  run.metadata.name = cat("run-", acknowledged_.size());
  run.metadata.name_space = chance(30) ? "limited" : "default";
  if (acknowledged_.size() % 4 == 1) run.metadata.name_space = kBoundedSpace;
  run.metadata.uid = make_uuid(random_);
  run.spec.command.argv = {"true"};
  if (acknowledged_.size() % 3 == 0) run.spec.type = contracts::RunType::kAgent;
  run.spec.priority = static_cast<int64_t>(random_.below(3));
  contracts::Resources& resources = run.spec.resources.emplace();
  if (chance(60)) resources.cpu = static_cast<int64_t>(1 + random_.below(4));
  if (chance(60))
    resources.memory = wire::Quantity{static_cast<int64_t>(1 + random_.below(4)) << 30};
  if (acknowledged_.size() % 2 == 0)
    resources.disk = wire::Quantity{static_cast<int64_t>(1 + acknowledged_.size() % 4) << 30};
  if (chance(25)) resources.accelerators = contracts::Accelerators{};
  run.status.policy.emplace().limits.memory =
      resources.memory.value_or(wire::Quantity{int64_t{1} << 30});
  run.status.policy->limits.fs_bytes = wire::Quantity{int64_t{4} << 30};
  if (chance(40)) run.spec.retry = contracts::RetryPolicy{.max_attempts = 3};
  if (chance(15)) run.spec.deadline = wire::Duration{Millis(10'000) + up_to(300'000)};
  const Status stored = store_->write([&](store::WriteTxn& txn) {
    return store::create_run(txn, run, runs::admit(run, clock_.wall()));
  });
  must(stored, "submit");
  (stored.ok() ? acknowledged_ : refused_).push_back(run.metadata.uid);
}

// Each agent run that is placed gets a line now and then. It draws no number: seeds keep their
// runs.
void World::answer_agents() {
  if (clock_.mono().ms % 3 != 0) return;
  std::vector<std::pair<std::string, std::string>> lines;  // by attempt
  const Status sent = store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto active, txn.active_runs());
    for (const contracts::Run& run : active) {
      const bool placed = !run.status.node_name.empty();
      if (run.spec.type != contracts::RunType::kAgent || !placed) continue;
      const std::string attempt = attempt_key(run.metadata.uid, run.status.attempt);
      const size_t number = sent_[attempt].size();
      contracts::RunInput input{0, cat("line ", number, "\n")};
      TRY(txn.append_input(run.metadata.uid, run.status.attempt, cat("tool-", number), input));
      txn.touch(store::node_topic(run.status.node_name));
      lines.emplace_back(attempt, input.data);
    }
    return {};
  });
  must(sent, "answer");
  if (!sent.ok()) return;
  for (auto& [attempt, line] : lines) sent_[attempt].push_back(std::move(line));
}

void World::put_quota(const std::optional<contracts::ComputeQuota>& quota) {
  const store::Key key{kBoundedSpace, "bound"};
  must(store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(auto grant, txn.find<contracts::Grant>(key));
    if (!quota) return grant ? txn.erase<contracts::Grant>(key) : Status();
    contracts::Grant next = grant.value_or(contracts::Grant{});
    next.spec.compute.emplace().quota = quota;
    if (grant) return txn.update(next);
    next.metadata.name = key.name;
    next.metadata.name_space = key.name_space;
    next.metadata.uid = "uid-of-the-bound";
    return txn.create(next);
  }),
       "put quota");
}

// Lowers, raises, removes and brings back what the namespace may have. It draws no number.
void World::change_quota() {
  const int64_t moment = clock_.mono().ms;
  if (moment % 5 != 0) return;
  if (moment % 35 == 0) return put_quota(std::nullopt);
  contracts::ComputeQuota quota;
  if (moment % 2 == 0) quota.runs = moment % 3;
  if (moment % 3 != 0) quota.cpu = moment % 7;
  if (moment % 4 != 0) quota.memory = wire::Quantity{(moment % 6) << 30};
  if (moment % 5 == 0) quota.disk = wire::Quantity{(moment % 4) << 32};
  if (moment % 4 == 0) quota.accelerators = {{contracts::AcceleratorKind::kNvidia, moment % 2}};
  put_quota(quota);
}

void World::cancel_some_run() {
  if (acknowledged_.empty()) return;
  const std::string uid = acknowledged_[random_.below(acknowledged_.size())];
  cancelled_.insert(uid);
  must(store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid(uid));
    runs::Events events = runs::request_cancel(run, clock_.wall());
    return store::save_run(txn, run, std::move(events));
  }),
       "cancel");
}

// True while there is an agent process.
bool World::crash_or_come_back(size_t index) {
  AgentHost& host = *hosts_[index];
  if (host.up() && fault(faults_.crash)) {
    host.crash();
    down_until_[index] = now() + up_to(chance(20) ? 120'000 : 5'000);
  }
  if (!host.up() && (quiet_ || now() >= down_until_[index])) host.start(clock_.wall());
  return host.up();
}

void World::run_host(size_t index) {
  AgentHost& host = *hosts_[index];
  host.work();
  if (!crash_or_come_back(index)) return;
  host.observe();
  while (host.act()) {
    if (fault(faults_.crash)) return host.crash();  // some of what was asked for is done
  }
  for (const auto lane : {sync::Lane::kReport, sync::Lane::kHold}) run_lane(index, lane);
}

void World::tick() {
  if (tampering_.before_tick) tampering_.before_tick(store_->sound(), *leases_, nodes::now(clock_));
  const auto report = reconciler_->tick(nodes::now(clock_));
  must(report.ok() ? Status() : Status(report.error()), "tick");
  meet_members();
  if (chance(10)) compare_views();
}

void World::pass_time() {
  const MonoTime before = now();
  const bool stood_still = before < paused_until_;
  clock_.advance(up_to(quiet_ ? 5'000 : 2'000));
  if (fault(4)) clock_.advance(up_to(20'000));
  // What is long for one step nobody lived, as when the whole world sleeps.
  const bool long_step = now() - before > kShortStep;
  if (!stood_still && !long_step) lived_ += now() - before;
  if (stood_still || long_step) listening_ = lived_;
}

void World::pause_now_and_then() {
  if (pauses_.below(100) >= faults_.pause || now() < paused_until_) return;
  paused_until_ = now() + kShortStep * 2 + Millis(static_cast<int64_t>(pauses_.below(60'000)));
}

void World::disturb() {
  if (chance(faults_.restart_controller)) {
    start_controller();
    answers_.clear();
    held_.clear();
  }
  if (chance(faults_.skew)) clock_.skew_wall(up_to(7'200'000) - Millis(3'600'000));
  if (chance(faults_.cut_off)) {
    cut_off_until_[random_.below(hosts_.size())] = now() + up_to(120'000);
  }
  answer_agents();
  change_quota();
  if (chance(12)) submit_run();
  submit_gang_now_and_then();
  if (chance(5)) cancel_some_run();
  if (chance(3)) operate_some_node();
}

// The operator drains a node, or takes it back.
void World::operate_some_node() {
  const std::string name = hosts_[random_.below(hosts_.size())]->name();
  if (chance(50)) {
    const auto drained = nodes::drain(*store_, name, up_to(30'000), clock_.wall());
    must(drained.ok() ? Status() : Status(drained.error()), "drain");
  } else {
    set_cordoned(name, false);
  }
}

void World::set_cordoned(const std::string& name, bool cordoned) {
  const auto set = nodes::set_unschedulable(*store_, name, cordoned);
  must(set.ok() ? Status() : Status(set.error()), "cordon");
}

// What is kept up to date piece by piece is what one would read anew.
void World::compare_views() {
  const auto prints = reconciler_->fingerprints();
  must(prints.ok() ? Status() : Status(prints.error()), "fingerprints");
  if (prints.ok() && prints->first != prints->second)
    must(Error{Code::kInternal, "INTERNAL",
               "the scheduler's view of the cluster is not what is stored"},
         "compare");
}

void World::step() {
  if (!quiet_) disturb();
  if (!quiet_) pause_now_and_then();
  pass_time();
  for (size_t i = 0; i < hosts_.size(); ++i) {
    if (quiet_ || chance(60)) run_host(i);
  }
  if (now() < paused_until_) return;
  if (!tampering_.looks_at_no_watch) (void)reconciler_->look(nodes::now(clock_));
  for (const auto part : {&World::deliver_requests, &World::look_at_held_calls,
                          &World::deliver_answers, &World::look_at_held_calls, &World::tick}) {
    if (quiet_ || chance(70)) (this->*part)();
  }
}

// Only the first host is left, and everything that waits was refused there: it ends all the same.
void World::leave_one_that_refused() {
  for (const auto& host : hosts_) set_cordoned(host->name(), host != hosts_[0]);
  must(store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto active, txn.active_runs());
    for (contracts::Run run : active) {
      if (run.status.phase != contracts::RunPhase::kPending) continue;
      runs::keep_off(run, hosts_[0]->name());
      TRY(store::save_run(txn, run, {}));
    }
    return {};
  }),
       "keep off");
}

void World::stop_faults() {
  quiet_ = true;
  paused_until_ = {};
  store_->refuse(0);
  std::fill(cut_off_until_.begin(), cut_off_until_.end(), MonoTime{});
  for (const auto& host : hosts_) set_cordoned(host->name(), false);
  if (faults_.refuse > 0 && !has_gangs_) leave_one_that_refused();
  // Room for any run, one at a time: all of them end.
  contracts::ComputeQuota quota;
  quota.runs = 1;
  quota.cpu = 4;
  quota.memory = wire::Quantity{int64_t{4} << 30};
  quota.disk = wire::Quantity{int64_t{16} << 30};
  quota.accelerators = {{contracts::AcceleratorKind::kAny, 1}};
  put_quota(quota);
}

bool World::all_runs_ended() {
  bool ended = false;
  must(store_->read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto active, txn.active_runs());
    ended = active.empty();
    return {};
  }),
       "read");
  return ended;
}

}  // namespace paddock::simulation
