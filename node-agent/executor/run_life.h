// One run's life on this node, from its assignment to its outcome, as an ordered list of steps.
// Each step that cannot be repeated is recorded before it is taken, so that a later agent goes on
// from wherever this one was killed (see recovery.h) and never starts a command twice. run() blocks
// and belongs to one thread; stop() and read_output() may be called from any.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <string>

#include "common/base/guarded.h"
#include "common/os/file_watch.h"
#include "common/os/folder_use.h"
#include "node-agent/executor/executor_ports.h"
#include "node-agent/executor/finished_sender.h"
#include "node-agent/executor/input_feed.h"
#include "node-agent/executor/kept_count.h"
#include "node-agent/executor/launcher.h"
#include "node-agent/executor/output_log.h"
#include "node-agent/executor/recovery.h"
#include "node-agent/executor/run_folder.h"
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
  static constexpr int64_t kNamesLookedAt = 20'000;  // some hundredth of a second
  // The launcher of its command, 0 when none runs, and the accelerators that it holds. Any thread.
  pid_t launcher() const { return launcher_pid_; }
  std::vector<std::string> held_accelerators() const;
  // Its files as its command sees them, to read. Any thread, once there is a launcher.
  Result<os::Fd> open_workspace() const;
  // The same for one who puts files into it while it runs, by one at a time. RUN_NOT_RUNNING.
  Result<WritableWorkspace> open_to_write() const;
  // Where its launcher takes commands to be executed in it, if it takes any. Any thread.
  std::string exec_socket() const { return folder_.file("exec"); }
  // What it has asked for of the disk, what its command has written there, as far as is told in a
  // moment, and how much of that it asked for. Any thread.
  std::optional<int64_t> asked_disk() const;
  int64_t written(int64_t most_names = kNamesLookedAt) const;
  int64_t written_as_asked() const;
  // All of that, with what it hides, as it is now: it takes a second or two where there are a
  // million names, and kCountTime at most.
  os::FolderUse taken() const;
  // Ends its command at once, where it has one: the run has failed, DISK_REQUEST_EXCEEDED. Any
  // thread.
  void end_for_disk(std::string why);
  // Whether its files will go by themselves.
  bool ending() const { return ending_ || stop_.at_least(StopKind::kKill); }
  // Where the disk is full: the files of one whose outcome is recorded go before that is taken. Any
  // thread.
  void free_files();
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
  // What is known now, for the first report of a recovered run.
  void publish();
  // After run() returned for kForget: nothing of it stays on disk.
  Status erase();

 private:
  RunLife(const ExecutorPorts& ports, RunFolder folder, contracts::Assignment assignment,
          RunRecord record, std::unique_ptr<OutputLog> output);

  NextStep decide();
  Result<contracts::LaunchRequest> prepare();
  Status launch(const contracts::LaunchRequest& request);
  FollowEnd follow();
  FollowEnd follow_command();
  artifacts::CollectRequest finished_request();
  Millis grace() const;
  os::FolderUse count(const std::function<bool()>& over) const;
  os::FolderUse taken_lately() const;
  void note_begin();
  void note_launcher();
  void note_accelerators(devices::Ledger::Hold hold);
  void heed_disk();
  bool is_agent() const { return assignment_.spec.type == contracts::RunType::kAgent; }
  bool is_judged() const;
  std::string tests_folder() const { return folder_.file("tests"); }
  contracts::RunOutcome outcome_of_result(contracts::SandboxResult result) const;
  bool is_code() const { return assignment_.spec.type == contracts::RunType::kCode; }
  void collect();
  void account(contracts::RunOutcome& outcome) const;
  contracts::RunOutcome lost() const;
  std::optional<Error> lost_sandbox(const contracts::SandboxResult& result);
  void doubt_sandbox() const;
  contracts::RunOutcome not_begun(const Error& why) const;
  void finish(contracts::RunOutcome outcome);

  Result<std::map<std::string, std::string>> command_environment(
      const runtimes::Environment& environment) const;
  Result<runtimes::Environment> fetch_project();
  void add_project(contracts::LaunchRequest& request, runtimes::Environment environment);
  void add_code(contracts::LaunchRequest& request) const;
  Status add_tool_bundle(contracts::LaunchRequest& request);
  void add_processors(contracts::LaunchRequest& request);
  Status add_accelerators(contracts::LaunchRequest& request);
  Status add_secrets(contracts::LaunchRequest& request);
  Status add_tool_token(contracts::LaunchRequest& request);
  TreeSource workspace_source() const { return {assignment_.workspace_root, ""}; }
  Status fetch_workspace();
  Status lay_workspace();
  workspace::Folders artifact_folders(const std::function<bool(const std::string&)>& taken) const;
  Status fetch_volumes();
  Status copy_volume(const TreeSource& source, const contracts::MountedVolume& volume,
                     TreeNews& news);
  std::string volume_folder(const contracts::MountedVolume& volume) const;
  std::vector<contracts::LaunchMount> volume_mounts() const;
  contracts::LaunchMount workspace_mount() const;
  Result<runtimes::Environment> make_environment();
  Result<contracts::SandboxResult> run_build(const contracts::LaunchRequest& request);
  std::vector<std::string> artifact_types() const;
  Result<artifacts::CollectRequest> collect_request();
  Status collect_artifacts(contracts::RunOutcome& outcome);
  Status send_artifact(int root, const contracts::Artifact& artifact,
                       RunTransport& controller) const;
  std::unique_ptr<RunTransport> transport(StopKind give_up);
  LaunchFiles launch_files() const { return LaunchFiles::in(folder_); }
  LaunchFiles build_files() const;
  void say(const std::string& line);
  void quote(const std::string& text);
  void lease_environment_again();
  bool leaving() const { return stop_.at_least(StopKind::kDetach); }

  const ExecutorPorts ports_;
  const RunFolder folder_;
  const contracts::Assignment assignment_;
  RunRecord record_;
  MonoTime accepted_;  // by this process; else long ago
  std::unique_ptr<OutputLog> output_;
  static constexpr int64_t kNotBegun = INT64_MAX;
  Guarded<std::string> end_why_;  // of end_for_disk()
  std::atomic<bool> ending_ = false;
  std::atomic<bool> recorded_ = false;  // its outcome: its files are needed no more
  Guarded<bool> freed_{false};
  const std::shared_ptr<KeptCount> counted_ = std::make_shared<KeptCount>(ports_.clock);
  std::atomic<int64_t> begun_ns_ = kNotBegun;  // what was changed since then its command wrote
  std::atomic<pid_t> launcher_pid_ = 0;        // while it lives; 0: not known
  StopSignal stop_;
  InputFeed input_;  // of an agent run
  TreeFetch fetch_;
  FinishedSender finished_;
  contracts::RunPhase phase_ = contracts::RunPhase::kScheduled;
  LauncherProcess launcher_;
  std::optional<os::FileWatch> watch_;                           // of its events
  std::optional<runtimes::EnvironmentLease> environment_lease_;  // until the command has ended
  std::optional<devices::Ledger::Hold> accelerators_;            // likewise
  Guarded<std::vector<std::string>> accelerator_ids_;            // of these
  std::optional<devices::ProcessorLedger::Hold> processors_;     // likewise
  std::optional<Error> unreadable_;  // why its output cannot be read any more
  bool overdue_ = false;  // its launcher was killed, as it did not keep the limit of time
  std::list<workspace::TreeCache::Pin> trees_;  // until the run has ended
  std::optional<os::LockFile> lost_lock_;       // keeps a late launcher from starting
};

}  // namespace paddock::executor
