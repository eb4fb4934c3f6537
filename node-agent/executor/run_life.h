// One run's life on this node, from its assignment to its outcome: its states, its stop and how it
// ended. What its command needs before it can start is in launch_steps.h, the launch itself in
// command_launch.h, what is sent of its files in artifact_collector.h.
//
// What cannot be repeated is recorded before it is done, so that a later agent goes on from
// wherever this one was killed (see recovery.h) and never starts a command twice. run() blocks and
// belongs to one thread; stop() and read_output() may be called from any.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "common/os/file_watch.h"
#include "common/os/folder_use.h"
#include "node-agent/executor/artifact_collector.h"
#include "node-agent/executor/command_launch.h"
#include "node-agent/executor/executor_ports.h"
#include "node-agent/executor/input_feed.h"
#include "node-agent/executor/launch_steps.h"
#include "node-agent/executor/output_log.h"
#include "node-agent/executor/run_disk.h"
#include "node-agent/executor/run_folder.h"
#include "node-agent/executor/run_log.h"
#include "node-agent/executor/stop_signal.h"
#include "node-agent/executor/tree_fetch.h"
#include "node-agent/executor/writable_workspace.h"

namespace paddock::executor {

class RunLife {
 public:
  // A new run: its folder is on disk when this returns.
  static Result<std::unique_ptr<RunLife>> accept(const ExecutorPorts& ports,
                                                 const contracts::Assignment& assignment);
  // A run found on disk.
  static Result<std::unique_ptr<RunLife>> recover(const ExecutorPorts& ports,
                                                  const std::string& folder_name);

  const contracts::Assignment& assignment() const { return assignment_; }
  // Whether the run will use the host's resources: it is not over yet.
  bool active() const { return record_.stage != Stage::kEnded; }
  // Whether something of it may be running already.
  bool launched() const { return record_.stage == Stage::kLaunching; }
  // Whether nothing of it was started or decided: it may be taken on again from the beginning.
  bool untouched() const { return record_.stage == Stage::kAccepted; }
  // The launcher of its command, 0 when none runs, and the accelerators that it holds. Any thread.
  pid_t launcher() const { return launch_.pid(); }
  std::vector<std::string> held_accelerators() const { return steps_.accelerators().held(); }
  // Opens the run's files, as its command sees them, to read. Any thread, once there is a launcher.
  Result<os::Fd> open_workspace() const { return steps_.workspace().open(); }
  // The same for one who puts files into it while it runs, by one at a time. RUN_NOT_RUNNING.
  Result<WritableWorkspace> open_to_write() const {
    return steps_.workspace().open_to_write(disk_, launch_.pid());
  }
  // The socket on which the run's launcher takes commands to be executed in it, if it takes any.
  // Any thread.
  std::string exec_socket() const { return folder_.exec_socket(); }
  // The disk that the run takes, and what it asked for (run_disk.h). Any thread.
  static constexpr int64_t kNamesLookedAt = RunDisk::kNamesLookedAt;
  std::optional<int64_t> asked_disk() const { return disk_.asked(); }
  int64_t written(int64_t most_names = kNamesLookedAt) const { return disk_.written(most_names); }
  int64_t written_as_asked() const { return disk_.written_as_asked(); }
  os::FolderUse taken() const { return disk_.taken(); }
  // Ends its command at once, where it has one: the run has failed, DISK_REQUEST_EXCEEDED. Any
  // thread.
  void end_for_disk(std::string why);
  // Whether its files will go by themselves.
  bool ending() const { return ending_ || stop_.at_least(StopKind::kKill); }
  // For a full disk: removes the files of a run whose outcome is recorded, before the controller
  // has taken that. Any thread.
  void free_files() {
    if (recorded_) disk_.free_files();
  }
  // Once run() has returned: what takes the kernel time to close.
  void let_go() { watch_.reset(); }

  // Returns when the outcome was published, the agent leaves, or the run is to be forgotten.
  void run();
  void stop(StopKind kind) { stop_.raise(kind); }
  bool stopped(StopKind at_least) const { return stop_.at_least(at_least); }
  std::vector<contracts::OutputChunk> read_output(int64_t after, size_t max_bytes) const {
    return output_->read(after, max_bytes);
  }
  // Lines for the command's standard input: each seq reaches it once, however often it is given.
  void give_input(const std::vector<contracts::RunInput>& inputs);
  // Reports what is known now, for the first report of a recovered run.
  void publish();
  // After run() returned for kForget: nothing of it stays on disk.
  Status erase();

 private:
  RunLife(const ExecutorPorts& ports, RunFolder folder, contracts::Assignment assignment,
          RunRecord record, std::unique_ptr<OutputLog> output, MonoTime accepted);

  Result<contracts::LaunchRequest> prepare();
  Status launch(const contracts::LaunchRequest& request);
  FollowEnd follow();
  FollowEnd follow_command();
  bool may_start_again(FollowEnd end) const;
  Heard hear(OutputState& told);
  void end_as_told();
  void collect();
  contracts::RunOutcome lost() const;
  contracts::RunOutcome not_begun(const Error& why) const;
  void finish(contracts::RunOutcome outcome);
  void record(contracts::RunOutcome outcome);

  bool is_agent() const { return assignment_.spec.type == contracts::RunType::kAgent; }
  bool leaving() const { return stop_.at_least(StopKind::kDetach); }

  const ExecutorPorts ports_;
  const RunFolder folder_;
  const contracts::Assignment assignment_;
  RunRecord record_;
  const std::unique_ptr<OutputLog> output_;
  StopSignal stop_;
  contracts::RunPhase phase_ = contracts::RunPhase::kScheduled;
  Guarded<std::string> end_why_;  // of end_for_disk()
  std::atomic<bool> ending_ = false;
  std::atomic<bool> recorded_ = false;  // its outcome: its files are needed no more
  InputFeed input_;                     // of an agent run
  TreeFetch fetch_;
  RunLog log_;
  const StepContext context_;
  LaunchSteps steps_;
  CommandLaunch launch_;
  RunDisk disk_;
  ArtifactCollector artifacts_;
  std::optional<os::FileWatch> watch_;  // of its events
  std::optional<Error> unreadable_;     // why its output cannot be read any more
  bool overdue_ = false;      // its launcher was killed, as it did not keep the limit of time
  bool came_second_ = false;  // its launcher found the run's lock taken
  std::optional<contracts::LaunchRequest> ordered_;  // by this agent; until the command has begun
};

}  // namespace paddock::executor
