#include "tests/simulation/world.h"

#include "common/base/text.h"
#include "controller/nodes/registry.h"
#include "controller/nodes/synchronize.h"
#include "controller/reconciler/reconciler.h"
#include "controller/store/run_writes.h"

namespace paddock::simulation {

namespace {

// Takes a random element, so that messages overtake each other.
template <class T>
T take_any(std::deque<T>& queue, Random& random) {
  const auto at = static_cast<std::ptrdiff_t>(random.below(queue.size()));
  T taken = std::move(queue[static_cast<size_t>(at)]);
  queue.erase(queue.begin() + at);
  return taken;
}

}  // namespace

World::World(uint64_t seed, Faults faults) : random_(seed), faults_(faults) {
  store_ = std::move(store::Store::open({})).value();
  leases_ = std::make_unique<nodes::LeaseTable>(clock_.mono());
  const auto count = static_cast<int64_t>(1 + random_.below(4));
  for (int64_t i = 0; i < count; ++i) add_agent(i);
}

void World::must(const Status& status, const char* what) {
  if (!status.ok() && broken_.empty()) broken_ = cat(what, ": ", status.error().describe());
}

void World::add_agent(int64_t index) {
  contracts::NodeStatus host;
  host.capacity.cpu = static_cast<int64_t>(2 + random_.below(6));
  host.capacity.memory.bytes = static_cast<int64_t>(2 + random_.below(6)) << 30;
  host.capacity.max_runs = static_cast<int64_t>(1 + random_.below(4));
  // The last host always has a device and room, so that every run fits somewhere.
  if (index == 0) {
    host.devices = {{"nvidia", "0", "model"}};
    host.capacity.cpu = 8;
    host.capacity.memory.bytes = 8LL << 30;
  }
  contracts::EnrollRequest request;
  request.identity = cat("identity-of-a-simulated-agent-number-", index);
  const std::string name = cat("node-", index);
  const auto enrolled = nodes::enroll(*store_, name, request, clock_.wall(), random_);
  must(enrolled.ok() ? Status() : Status(enrolled.error()), "enroll");
  agents_.push_back(std::make_unique<AgentModel>(name, host, random_));
  agents_.back()->start(clock_.wall().ms);
}

void World::submit_run() {
  contracts::Run run;
  run.metadata.name = cat("run-", acknowledged_.size());
  run.metadata.name_space = "default";
  run.metadata.uid = make_uuid(random_);
  run.spec.command.argv = {"true"};
  run.spec.priority = static_cast<int64_t>(random_.below(3));
  contracts::Resources& resources = run.spec.resources.emplace();
  if (chance(60)) resources.cpu = static_cast<int64_t>(1 + random_.below(4));
  if (chance(60))
    resources.memory = wire::Quantity{static_cast<int64_t>(1 + random_.below(4)) << 30};
  if (chance(25)) resources.accelerators = contracts::Accelerators{};
  const Status stored = store_->write([&](store::WriteTxn& txn) {
    return store::create_run(txn, run, runs::admit(run, clock_.wall()));
  });
  must(stored, "submit");
  if (stored.ok()) acknowledged_.push_back(run.metadata.uid);
}

void World::cancel_some_run() {
  if (acknowledged_.empty()) return;
  const std::string uid = acknowledged_[random_.below(acknowledged_.size())];
  must(store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid(uid));
    runs::Events events = runs::request_cancel(run, clock_.wall());
    return store::save_run(txn, run, std::move(events));
  }),
       "cancel");
}

void World::run_agent(size_t index) {
  AgentModel& agent = *agents_[index];
  agent.work();
  if (!quiet_ && chance(faults_.crash)) agent.crash();
  if (!agent.up()) {
    if (quiet_ || chance(20)) agent.start(clock_.wall().ms);
    return;
  }
  const Request request{index, agent.observe(clock_.wall().ms)};
  if (!quiet_ && chance(faults_.lose)) return;
  requests_.push_back(request);
  if (!quiet_ && chance(faults_.repeat)) requests_.push_back(request);
}

void World::deliver_request() {
  if (requests_.empty()) return;
  const Request request = take_any(requests_, random_);
  const std::string& name = agents_[request.agent]->name();
  const auto answer = nodes::synchronize(*store_, *leases_, name, request.body, nodes::now(clock_));
  if (!answer.ok()) {
    if (answer.error().reason != "SESSION_SUPERSEDED") must(answer.error(), "synchronize");
    return;
  }
  if (!quiet_ && chance(faults_.lose)) return;
  answers_.push_back({request.agent, request.body.session, *answer});
}

// An answer reaches the process that asked, or nobody. (A call's answer cannot outlive its
// connection, so an agent never sees the answer of an earlier call after that of a later one.)
void World::deliver_answer() {
  if (answers_.empty()) return;
  const Answer answer = std::move(answers_.front());
  answers_.pop_front();
  AgentModel& agent = *agents_[answer.agent];
  if (agent.up() && agent.observe(0).session == answer.session) agent.receive(answer.body);
}

void World::tick() {
  const auto report = reconciler::tick(*store_, *leases_, nodes::now(clock_));
  must(report.ok() ? Status() : Status(report.error()), "tick");
}

void World::step() {
  if (!quiet_) {
    if (chance(faults_.restart_controller)) {
      leases_ = std::make_unique<nodes::LeaseTable>(clock_.mono());
      answers_.clear();
    }
    if (chance(faults_.skew)) {
      clock_.skew_wall(Millis(static_cast<int64_t>(random_.below(7'200'000)) - 3'600'000));
    }
    if (chance(20)) submit_run();
    if (chance(5)) cancel_some_run();
  }
  clock_.advance(Millis(static_cast<int64_t>(random_.below(2000))));
  for (size_t i = 0; i < agents_.size(); ++i) {
    if (quiet_ || chance(60)) run_agent(i);
  }
  const size_t messages = quiet_ ? requests_.size() : random_.below(requests_.size() + 1);
  for (size_t i = 0; i < messages; ++i) deliver_request();
  const size_t answered = quiet_ ? answers_.size() : random_.below(answers_.size() + 1);
  for (size_t i = 0; i < answered; ++i) deliver_answer();
  if (quiet_ || chance(50)) tick();
}

void World::stop_faults() { quiet_ = true; }

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
