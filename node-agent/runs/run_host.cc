#include "node-agent/runs/run_host.h"

#include <algorithm>

#include "common/base/crash_point.h"
#include "common/base/log.h"
#include "common/base/parallel.h"
#include "common/base/start_thread.h"
#include "common/base/system_failure.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"

namespace paddock::agent {
namespace {

using executor::RunLife;
using executor::StopKind;
using sync::RunKey;

constexpr Reason kMayHaveRun = "LAUNCHER_LOST";
constexpr Millis kSlotPoll{1'000};  // in case a wake-up is missed

RunKey key_of(const contracts::Assignment& assignment) {
  return {assignment.run_uid, assignment.attempt};
}

}  // namespace

RunHost::RunHost(const executor::ExecutorConfig& config, workspace::CacheKeeper& cache,
                 devices::AcceleratorLedger& accelerators, devices::DiskLedger& disk,
                 executor::TransportFactory transport, const Clock& clock, Random& random,
                 int64_t max_runs, executor::LaunchServer* server, executor::HostSandbox& sandbox,
                 Observe observe)
    : config_(config),
      cache_(cache),
      accelerators_(accelerators),
      disk_(disk),
      transport_(std::move(transport)),
      clock_(clock),
      random_(random),
      max_runs_(max_runs),
      server_(server),
      sandbox_(sandbox),
      observe_(std::move(observe)) {}

RunHost::~RunHost() { (void)stop(); }

executor::ExecutorPorts RunHost::ports() {
  return {config_, cache_.blobs(), transport_, *this,          clock_,       random_, *intents_,
          server_, cache_.trees(), at_once,    &accelerators_, &processors_, &disk_,  &sandbox_};
}

std::vector<RunHost::Life> RunHost::lives() const {
  std::vector<Life> lives;
  state_.with([&](const State& state) {
    for (const auto& [key, hosted] : state.runs) lives.push_back(hosted.life);
  });
  return lives;
}

bool RunHost::is_idle() const {
  return state_.with([](const State& state) { return state.runs.empty(); });
}

std::vector<usage::MeasuredRun> RunHost::measured_runs() const {
  std::vector<usage::MeasuredRun> out;
  for (const Life& life : lives()) {
    const contracts::Assignment& run = life->assignment();
    if (const pid_t launcher = life->launcher(); launcher > 0)
      out.push_back({run.run_uid, run.attempt, launcher, life->held_accelerators()});
  }
  return out;
}

Result<RunHost::Life> RunHost::running(const std::string& run_uid) const {
  for (const Life& life : lives()) {
    if (life->assignment().run_uid == run_uid && life->launcher() > 0 && !life->ending())
      return life;
  }
  return Error{Code::kFailedPrecondition, "RUN_NOT_RUNNING", "the run does not run on this node"};
}

Result<os::Fd> RunHost::open_workspace(const std::string& run_uid) const {
  ASSIGN_OR_RETURN(const Life life, running(run_uid));
  return life->open_workspace();
}

Result<executor::WritableWorkspace> RunHost::open_to_write(const std::string& run_uid) const {
  ASSIGN_OR_RETURN(const Life life, running(run_uid));
  return life->open_to_write();
}

Result<std::string> RunHost::exec_socket(const std::string& run_uid) const {
  ASSIGN_OR_RETURN(const Life life, running(run_uid));
  if (!os::kPacketSockets)
    return Error{Code::kFailedPrecondition, "RUN_EXEC_UNSUPPORTED",
                 "the run's node is a Mac: commands can be executed in runs on Linux alone"};
  std::string out = life->exec_socket();
  if (os::exists(out)) return out;
  return Error{Code::kFailedPrecondition, "RUN_EXEC_UNSUPPORTED",
               "the run was started by a launcher of an earlier release, which takes no further "
               "commands"};
}

DiskUse RunHost::disk_use() const {
  DiskUse use{.held = disk_.held()};
  for (const Life& life : lives()) use.written += life->written_as_asked();
  return use;
}

void RunHost::free_ended() {
  for (const Life& life : lives()) life->free_files();
}

std::vector<DiskWriter> RunHost::disk_writers() const {
  std::vector<DiskWriter> out;
  for (const Life& life : lives()) {
    const int64_t asked = life->asked_disk().value_or(contracts::kUsualDisk);
    out.push_back({.what = "run",
                   .uid = life->assignment().run_uid,
                   .use = {life->taken(), asked, life->ending()},
                   .end = [life](const std::string& why) { life->end_for_disk(why); }});
  }
  return out;
}

// Removes the folder, after ending the processes that still work in it and hold the lock file of
// this name.
Status RunHost::remove(const std::string& folder, std::string_view lock) {
  executor::end_leftover(cat(folder, "/", lock));
  executor::end_leftover(cat(folder, "/build/", lock));
  return os::remove_tree(folder);
}

// One folder that cannot be removed keeps its room, and the node goes on.
void RunHost::remove_or_say(const std::string& folder, std::string_view lock) {
  if (const Status removed = remove(folder, lock); !removed.ok())
    log_warn("a run's folder could not be removed; remove it by hand",
             {{"run", os::base_name(folder)}, {"error", removed.error().describe()}});
}

// Runs that an agent of an earlier version has left: their commands are ended, and not started
// again.
Result<std::vector<std::string>> RunHost::end_earlier() {
  ASSIGN_OR_RETURN(const auto names, executor::RunFolder::list_earlier(config_.runs_dir));
  for (const std::string& name : names) {
    log_warn("ending what an earlier version of the agent has started", {{"run", name}});
    remove_or_say(os::join_path(config_.runs_dir, name), "lock");
  }
  return names;
}

Status RunHost::recover() {
  ASSIGN_OR_RETURN(intents_, executor::LaunchIntents::open(config_.intents_file));
  ASSIGN_OR_RETURN(const auto names, executor::RunFolder::list(config_.runs_dir));
  ASSIGN_OR_RETURN(std::vector<std::string> known, end_earlier());
  known.insert(known.end(), names.begin(), names.end());
  std::ranges::sort(known);
  intents_->keep_only(known);
  std::vector<Life> found;  // all of them have what they use before one of them takes more
  for (const std::string& name : names) {
    auto life = RunLife::recover(ports(), name);
    if (life && !(*life)->untouched()) {
      log_info("found a run on disk", {{"run", name}});
      found.push_back(std::move(*life));
      continue;
    }
    // A fault that may pass is no reason to end a run.
    if (!life && is_system_failure(life.error()))
      return std::move(life).error().within(cat("looking for the run ", name));
    // A run that was not launched may be over elsewhere by now: the controller assigns it again if
    // it is still wanted.
    if (!life) {
      const Error why = contracts::name_full_disk(life.error());
      log_warn(why.reason == contracts::kNodeDiskFull
                   ? "removing a run that was never begun, as the disk is full"
                   : "removing what cannot be read as a run",
               {{"name", name}, {"error", why.describe()}});
    }
    remove_or_say(executor::RunFolder(config_.runs_dir, name).path(), "events");
  }
  for (Life& life : found) {
    life->publish();
    TRY(host(std::move(life)));
  }
  return {};
}

void RunHost::act(const sync::Action& action) {
  if (const auto* begin = std::get_if<sync::StartRun>(&action)) return start(begin->assignment);
  if (const auto* cancel = std::get_if<sync::CancelRun>(&action)) {
    return stop_run(cancel->key, cancel->kill_now ? StopKind::kKill : StopKind::kCancel);
  }
  if (const auto* input = std::get_if<sync::GiveInput>(&action)) {
    if (const Life life = life_of(input->key)) life->give_input(input->inputs);
    return;
  }
  forget(std::get<sync::ForgetRun>(action).key);
}

void RunHost::forget(const RunKey& key) {
  stop_run(key, StopKind::kForget);
  if (life_of(key)) return;  // and goes with its files
  // The run could not be taken on, and the controller has its outcome.
  if (const auto name = executor::RunFolder::name_of(key.uid, key.attempt)) intents_->forget(*name);
}

void RunHost::start(const contracts::Assignment& assignment) {
  auto accepted = RunLife::accept(ports(), assignment);
  if (!accepted) return refuse(assignment, accepted.error());
  const Life life = std::move(*accepted);
  const Status hosted = host(life);
  if (hosted.ok()) return;
  // A run that may have been launched stays here: the next agent process finds it.
  if (!life->untouched()) {
    log_error("a run is not followed",
              {{"run", assignment.run_uid}, {"error", hosted.error().describe()}});
    return;
  }
  if (const Status erased = life->erase(); !erased.ok())
    log_warn("a run's files could not be removed",
             {{"run", assignment.run_uid}, {"error", erased.error().describe()}});
  refuse(assignment, hosted.error());
}

void RunHost::refuse(const contracts::Assignment& assignment, const Error& cause) {
  log_error("a run could not be accepted",
            {{"run", assignment.run_uid}, {"error", cause.describe()}});
  const Error why = contracts::name_full_disk(cause);
  contracts::RunReport report{.run_uid = assignment.run_uid, .attempt = assignment.attempt};
  contracts::RunOutcome& outcome = report.outcome.emplace();
  outcome.phase = contracts::RunPhase::kFailed;
  outcome.reason = why.reason;
  outcome.message = cat("the node could not take the run on: ", why.message);
  // The fault cannot be the run's: nothing is known here of the run but its assignment.
  if (why.reason != kMayHaveRun && why.code != Code::kInvalidArgument) outcome.refused = true;
  observe_(report, 0);
}

Status RunHost::host(Life life) {
  const RunKey key = key_of(life->assignment());
  return state_.with([&](State& state) -> Status {
    for (std::thread& each : state.finished) each.join();
    state.finished.clear();
    if (state.stopping || state.runs.contains(key)) return {};
    ASSIGN_OR_RETURN(std::thread thread, start_thread([this, key, life] { live(key, life); }));
    state.runs[key] = Hosted{life, std::move(thread)};
    return {};
  });
}

void RunHost::live(const RunKey& key, const Life& life) {
  const bool works = life->active();
  if (!works || take_slot(life)) {
    life->run();
    if (works) {
      state_.with([](State& state) { --state.working; });
      changed_.notify_all();
      life->let_go();
      cache_.clean_up(clock_);
    }
  }
  // An ended run stays until its outcome is acknowledged or the agent leaves.
  while (!life->stopped(StopKind::kDetach)) {
    state_.wait_for(
        changed_, kSlotPoll, [&](State&) { return life->stopped(StopKind::kDetach); },
        [](State&, bool) {});
  }
  if (life->stopped(StopKind::kForget)) drop(key, life);
}

// A command that runs already has its slot; a new one waits for a slot, or for its end.
bool RunHost::take_slot(const Life& life) {
  while (true) {
    const bool taken = state_.wait_for(
        changed_, kSlotPoll,
        [&](State& state) {
          return life->launched() || life->stopped(StopKind::kCancel) || state.working < max_runs_;
        },
        [](State& state, bool ready) {
          if (ready) ++state.working;
          return ready;
        });
    if (taken) return true;
  }
}

void RunHost::drop(const RunKey& key, const Life& life) {
  PADDOCK_CRASH_POINT("forgetting");
  if (const Status erased = life->erase(); !erased) {
    log_warn("a run's files could not be removed",
             {{"run", key.uid}, {"error", erased.error().describe()}});
  }
  PADDOCK_CRASH_POINT("forgotten");
  state_.with([&](State& state) {
    const auto found = state.runs.find(key);
    if (found == state.runs.end()) return;  // stop() joins this thread
    state.finished.push_back(std::move(found->second.thread));
    state.runs.erase(found);
  });
}

RunHost::Life RunHost::life_of(const RunKey& key) {
  return state_.with([&](State& state) {
    const auto found = state.runs.find(key);
    return found == state.runs.end() ? Life() : found->second.life;
  });
}

void RunHost::stop_run(const RunKey& key, StopKind kind) {
  const Life life = life_of(key);
  if (life) life->stop(kind);
  changed_.notify_all();
}

std::set<RunKey> RunHost::stop() {
  std::map<RunKey, Hosted> runs;
  std::vector<std::thread> finished;
  state_.with([&](State& state) {
    state.stopping = true;
    runs.swap(state.runs);
    finished.swap(state.finished);
  });
  for (const auto& [key, hosted] : runs) hosted.life->stop(StopKind::kDetach);
  changed_.notify_all();
  std::set<RunKey> begun;
  for (auto& [key, hosted] : runs) {
    hosted.thread.join();
    if (!hosted.life->untouched()) begun.insert(key);
  }
  for (std::thread& each : finished) each.join();
  return begun;
}

std::vector<contracts::OutputChunk> RunHost::read(const RunKey& key, int64_t after,
                                                  size_t max_bytes) {
  const Life life = life_of(key);
  return life ? life->read_output(after, max_bytes) : std::vector<contracts::OutputChunk>();
}

void RunHost::observed(const contracts::RunReport& report, int64_t last_seq) {
  observe_(report, last_seq);
}

}  // namespace paddock::agent
