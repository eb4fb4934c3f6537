// What the node knows about one run, on disk, so that the agent may be killed at any moment. A loss
// of power may take of it what it likes: what must outlive that is in launch_intents.h.
//
//   <runs>/<first two of it>/<uid>-<attempt>/
//     journal           what was asked for, a line; then a RunRecord a line, added before each step
//                       that cannot be repeated; the last whole one counts
//     workspace/        the run's files; of a layered one what it changed in the node's cached tree
//     layer-work/       the kernel's own, beside a layered workspace
//     events            from paddock-sandbox, which locks it as long as it lives
//     exec              the socket at which its launcher takes further commands
//     launcher.log      what a launcher that serves this run alone complains about
//     input                                      lines for an agent run's standard input
//     said-before said-after                     the agent's own lines, as frames, if there are any
//     finished          the files of it that were sent while it lives, a FinishedRecord
//     build/            launches that build its environment
//     tests/            of a test run: its report and the key that signs it (common/test_report)
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/sync.h"
#include "common/os/process.h"
#include "node-agent/executor/device_hold.h"

namespace paddock::executor {

using contracts::field;

enum class Stage {
  kAccepted,   // nothing was started; preparing may be repeated
  kLaunching,  // written before the launcher starts: from here on the command is never started
               // again
  kEnded,      // the outcome is known
};

struct LauncherRecord {
  int64_t pid = 0;
  int64_t start_ticks = 0;
  std::string boot_id;
  static constexpr auto describe(auto&& visit) {
    return visit(field("pid", &LauncherRecord::pid, "of the launcher"),
                 field("startTicks", &LauncherRecord::start_ticks, "since boot"),
                 field("bootId", &LauncherRecord::boot_id, "of the kernel"));
  }
  static LauncherRecord of(const os::ProcessIdentity& identity);
  os::ProcessIdentity identity() const;
};

struct RunRecord {
  Stage stage = Stage::kAccepted;
  std::optional<LauncherRecord> launcher;
  std::string environment;
  std::map<std::string, int64_t> timings_ms;
  std::optional<contracts::RunOutcome> outcome;
  bool layered = false;  // the workspace lies above a cached tree
  std::vector<std::string> accelerators;
  std::optional<HoldStart> held;
  std::vector<int64_t> processors;
  std::string beyond_disk;
  static constexpr auto describe(auto&& visit) {
    return visit(field("stage", &RunRecord::stage, "how far it came"),
                 field("launcher", &RunRecord::launcher, "who runs it"),
                 field("environment", &RunRecord::environment,
                       "that the command sees: nobody may remove it", {.omit_empty = true}),
                 field("timingsMs", &RunRecord::timings_ms, "per phase"),
                 field("outcome", &RunRecord::outcome, "how it ended"),
                 field("layered", &RunRecord::layered, "whether the tree is another folder"),
                 field("accelerators", &RunRecord::accelerators,
                       "granted to the command: nobody else may have them", {.omit_empty = true}),
                 field("held", &RunRecord::held, "since when it has its accelerators"),
                 field("processors", &RunRecord::processors, "that the command was put on",
                       {.omit_empty = true}),
                 field("beyondDisk", &RunRecord::beyond_disk,
                       "why it was ended for the node's disk", {.omit_empty = true}));
  }
};

// The files of a run that were sent before its end, so that the next agent process sends none of
// them again.
struct FinishedRecord {
  int64_t since_ms = 0;  // wall clock
  int64_t spent = 0;     // of its allowance
  std::vector<contracts::Artifact> items;
  static constexpr auto describe(auto&& visit) {
    return visit(field("sinceMs", &FinishedRecord::since_ms, "when it was first looked at"),
                 field("spent", &FinishedRecord::spent, "bytes of its allowance"),
                 field("items", &FinishedRecord::items, "as they were sent last"));
  }
};

class RunFolder {
 public:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}
  RunFolder(const std::string& runs_dir, const std::string& name);
  // The names of all that are there, and of what is there in their place; sorted.
  static Result<std::vector<std::string>> list(const std::string& runs_dir);
  // Lists folders of an agent that had no parts yet. Their runs cannot be taken up any more.
  static Result<std::vector<std::string>> list_earlier(const std::string& runs_dir);
  // `<uid>-<attempt>`; InvalidArgument, ASSIGNMENT_INVALID, if that could not be one file name.
  static Result<std::string> name_of(const std::string& run_uid, int64_t attempt);

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const;
  std::string workspace() const { return file("workspace"); }
  std::string layer_work() const { return file("layer-work"); }
  std::string input() const { return file("input"); }
  std::string exec_socket() const { return file("exec"); }

  // Makes the folder with its assignment; it appears whole or not at all.
  Status create(const contracts::Assignment& assignment) const;
  Result<contracts::Assignment> assignment() const;
  Result<RunRecord> record() const;
  Status store(const RunRecord& record) const;
  FinishedRecord finished() const;  // empty if nothing was sent, or it cannot be read
  Status store(const FinishedRecord& record) const;
  Status erase() const;

 private:
  std::string path_;
};

}  // namespace paddock::executor

template <>
struct paddock::wire::EnumNames<paddock::executor::Stage> {
  using E = executor::Stage;
  static constexpr std::array values = {std::pair{E::kAccepted, std::string_view("accepted")},
                                        std::pair{E::kLaunching, std::string_view("launching")},
                                        std::pair{E::kEnded, std::string_view("ended")}};
};
