// One run's life on this node, from its assignment to its outcome, as an ordered list of steps.
// Each step that cannot be repeated is recorded before it is taken, so that a later agent goes on
// from wherever this one was killed (see recovery.h) and never starts a command twice. run() blocks
// and belongs to one thread; stop() and read_output() may be called from any.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <set>
#include <string>

#include "common/base/guarded.h"
#include "common/base/random.h"
#include "common/base/time.h"
#include "common/os/file_watch.h"
#include "common/os/folder_use.h"
#include "node-agent/artifacts/collect.h"
#include "node-agent/artifacts/finished_files.h"
#include "node-agent/devices/disk_ledger.h"
#include "node-agent/devices/ledger.h"
#include "node-agent/devices/processor_ledger.h"
#include "node-agent/executor/input_file.h"
#include "node-agent/executor/launch_intents.h"
#include "node-agent/executor/launch_server.h"
#include "node-agent/executor/launcher.h"
#include "node-agent/executor/output_log.h"
#include "node-agent/executor/recovery.h"
#include "node-agent/executor/run_folder.h"
#include "node-agent/executor/stop_signal.h"
#include "node-agent/executor/transport.h"
#include "node-agent/runtimes/environment.h"
#include "node-agent/workspace/tree_cache.h"

namespace paddock::executor {

// A tree that is laid beneath the run's folder costs the kernel some seven files for each run, and
// a mount; one that is copied, each of its own.
struct SmallTree {
  size_t files = 8;
  int64_t bytes = 256 << 10;
  bool holds(const contracts::Tree& tree) const;
};

struct ExecutorConfig {
  std::string runs_dir;
  std::string intents_file;
  std::string sandbox_program;
  runtimes::EnvironmentConfig environments;
  artifacts::CollectLimits artifacts;
  artifacts::FinishedLimits finished;
  Millis look_every{5'000};            // for files that a run has finished while it lives
  std::optional<uid_t> sandbox_uid;    // who runs commands here, if not we
  contracts::NodeBounds bounds;        // what this node lets a policy ask for
  contracts::NetworkSettings network;  // for policies that may enable it
  SmallTree copied;                    // larger ones are laid, where the host can
  std::string library_dir;  // seen by code runs at the same path; empty: the host has none
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // A snapshot without output, and the highest output seq there is.
  virtual void observed(const contracts::RunReport& report, int64_t last_seq) = 0;
};

// Runs all tasks, at once or one after the other from the first on, and returns when all have
// ended.
using Parallel = std::function<void(std::vector<std::function<void()>> tasks)>;

struct ExecutorPorts {
  const ExecutorConfig& config;
  const cas::BlobStore& store;
  TransportFactory transport;
  RunObserver& observer;
  const Clock& clock;
  Random& random;  // thread-safe
  LaunchIntents& intents;
  LaunchServer* server = nullptr;         // none: each launch starts a launcher of its own
  workspace::TreeCache* trees = nullptr;  // none: each run gets a copy of its tree
  Parallel parallel = {};  // none: one blob after the other, and no file before the end
  devices::Ledger* accelerators = nullptr;         // none: this host has none
  devices::ProcessorLedger* processors = nullptr;  // none: each launcher chooses
  devices::DiskLedger* disk = nullptr;             // none: nobody asks for room beforehand
};

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
  // Of its command, while it runs; 0: it does not. With what it holds of accelerators. Any thread.
  pid_t launcher() const { return launcher_pid_; }
  std::vector<std::string> held_accelerators() const;
  // Its files as its command sees them, to read. Any thread, once there is a launcher.
  Result<os::Fd> open_workspace() const;
  // What it has asked for of the disk, what its command has written there, as far as is told in a
  // moment, and how much of that it asked for. Any thread.
  std::optional<int64_t> asked_disk() const;
  int64_t written(int64_t most_names = kNamesLookedAt) const;
  int64_t written_as_asked() const;
  // All of that, with what it hides: it takes a second or two where there are a million names.
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
  Result<LauncherProcess> start(const LaunchFiles& files, const contracts::LaunchRequest& request);
  FollowEnd follow();
  FollowEnd follow_command();
  void send_finished(StopSignal& over);
  artifacts::CollectRequest finished_request();
  void send_finished(int root, const std::vector<contracts::Artifact>& news, RunTransport& to,
                     artifacts::FinishedFiles& files, FinishedRecord& record);
  std::set<std::string> sent_already(const std::vector<contracts::Artifact>& all,
                                     RunTransport& controller) const;
  Millis grace() const;
  void note_begin();
  void note_launcher();
  void note_accelerators(devices::Ledger::Hold hold);
  void heed_disk();
  bool take_input();
  std::string input_path() const { return folder_.file("input"); }
  bool is_agent() const { return assignment_.spec.type == contracts::RunType::kAgent; }
  bool is_judged() const;
  std::string tests_folder() const { return folder_.file("tests"); }
  contracts::RunOutcome outcome_of_result(contracts::SandboxResult result) const;
  bool is_code() const { return assignment_.spec.type == contracts::RunType::kCode; }
  void collect();
  void account(contracts::RunOutcome& outcome) const;
  contracts::RunOutcome lost() const;
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
  struct TreeSource {
    std::string root;
    std::string volume;  // empty: the workspace
  };
  struct TreeNews {
    int64_t files = 0, bytes = 0, fetched = 0;
    bool cached = false;
    std::string text() const;
  };
  TreeSource workspace_source() const { return {assignment_.workspace_root, ""}; }
  Status fetch_workspace();
  Status lay_workspace();
  Status cache_tree(const TreeSource& source, TreeNews& news);
  Status make_cached(const TreeSource& source, const contracts::Tree& tree, TreeNews& news);
  bool find_cached(const TreeSource& source, TreeNews& news);
  workspace::Folders artifact_folders(const std::function<bool(const std::string&)>& taken) const;
  Status copy_tree(const contracts::Tree& tree, const std::string& to, TreeNews& news,
                   const workspace::Folders& more = {});
  // `what` comes of it, a path: who makes the same one at that time brings nothing more.
  Status with_blobs(const std::string& what, const contracts::Tree& tree, TreeNews& news,
                    const std::function<Status()>& use);
  using Missing = std::vector<const contracts::TreeEntry*>;
  Status fetch_blobs(const Missing& missing, TreeNews& news);
  Result<std::optional<devices::DiskLedger::Hold>> take_room(const std::string& what,
                                                             const contracts::Tree& tree,
                                                             const Missing& missing);
  Status fetch_volumes();
  Status copy_volume(const TreeSource& source, const contracts::MountedVolume& volume,
                     TreeNews& news);
  std::string volume_folder(const contracts::MountedVolume& volume) const;
  std::vector<contracts::LaunchMount> volume_mounts() const;
  std::optional<workspace::Owner> owner() const;
  contracts::LaunchMount workspace_mount() const;
  Result<contracts::Tree> fetch_tree(const TreeSource& source,
                                     StopKind give_up = StopKind::kCancel);
  Result<runtimes::Environment> make_environment();
  Result<contracts::SandboxResult> run_build(const contracts::LaunchRequest& request);
  std::vector<std::string> artifact_types() const;
  Result<artifacts::CollectRequest> collect_request();
  Status collect_artifacts(contracts::RunOutcome& outcome);
  std::unique_ptr<RunTransport> transport(StopKind give_up);
  LaunchFiles launch_files() const;
  LaunchFiles build_files() const;
  void say(const std::string& line);
  void quote(const std::string& text);
  void lease_environment_again();
  bool leaving() const { return stop_.at_least(StopKind::kDetach); }

  const ExecutorPorts ports_;
  const RunFolder folder_;
  const contracts::Assignment assignment_;
  RunRecord record_;
  std::unique_ptr<OutputLog> output_;
  std::optional<InputFile> input_;                   // of an agent run
  Guarded<std::vector<contracts::RunInput>> given_;  // and not in that file yet
  static constexpr int64_t kNotBegun = INT64_MAX;
  Guarded<std::string> end_why_;  // of end_for_disk()
  std::atomic<bool> ending_ = false;
  std::atomic<bool> recorded_ = false;  // its outcome: its files are needed no more
  Guarded<bool> freed_{false};
  std::atomic<int64_t> begun_ns_ = kNotBegun;  // what was changed since then its command wrote
  std::atomic<pid_t> launcher_pid_ = 0;        // while it lives; 0: not known
  StopSignal stop_;
  contracts::RunPhase phase_ = contracts::RunPhase::kScheduled;
  LauncherProcess launcher_;
  std::optional<os::FileWatch> watch_;                           // of its events
  std::optional<runtimes::EnvironmentLease> environment_lease_;  // until the command has ended
  std::optional<devices::Ledger::Hold> accelerators_;            // likewise
  Guarded<std::vector<std::string>> accelerator_ids_;            // of these
  std::optional<devices::ProcessorLedger::Hold> processors_;     // likewise
  std::optional<Error> unreadable_;             // why its output cannot be read any more
  int64_t no_room_for_ = 0;                     // bytes of its files that this node has no room for
  std::list<workspace::TreeCache::Pin> trees_;  // until the run has ended
  std::optional<os::LockFile> lost_lock_;       // keeps a late launcher from starting
};

}  // namespace paddock::executor
