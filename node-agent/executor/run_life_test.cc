#include "node-agent/executor/run_life.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/guarded.h"
#include "common/cas/tree.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::executor {
namespace {

using contracts::RunPhase;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kUid = "11111111-2222-4333-8444-555555555555";

// Counts everything the run's life does outwardly; may end the process at one of these points.
struct Steps {
  int seen = 0;
  int die_at = -1;
  void step() {
    if (seen++ == die_at) ::kill(::getpid(), SIGKILL);
  }
};

class FakeTransport : public RunTransport {
 public:
  FakeTransport(const contracts::Tree& tree, const std::map<std::string, std::string>& blobs,
                std::vector<std::string>& uploads, Steps& steps)
      : tree_(tree), blobs_(blobs), uploads_(uploads), steps_(steps) {}
  Result<contracts::Tree> fetch_tree(const std::string&) override {
    steps_.step();
    return tree_;
  }
  Status fetch_blob(const std::string&, const std::string& digest, int64_t,
                    const cas::BlobStore& store) override {
    steps_.step();
    const auto stored = store.put(blobs_.at(digest));
    return stored ? Status() : Status(stored.error());
  }
  Status upload_artifact(const std::string&, int, const contracts::Artifact& artifact) override {
    steps_.step();
    uploads_.push_back(artifact.path);
    return {};
  }
  void abort() override {}

 private:
  const contracts::Tree& tree_;
  const std::map<std::string, std::string>& blobs_;
  std::vector<std::string>& uploads_;
  Steps& steps_;
};

class Recorder : public RunObserver {
 public:
  explicit Recorder(Steps& steps) : steps_(steps) {}
  void observed(const contracts::RunReport& report, int64_t seq) override {
    state.with([&](State& s) {
      s.reports.push_back(report);
      s.last_seq = seq;
    });
    changed.notify_all();
    steps_.step();
  }
  void wait_for(RunPhase phase) {
    while (!state.wait_for(
        changed, std::chrono::seconds(30),
        [&](State& s) { return !s.reports.empty() && s.reports.back().phase == phase; },
        [](State&, bool in_time) { return in_time; })) {
    }
  }
  struct State {
    std::vector<contracts::RunReport> reports;
    int64_t last_seq = 0;
  };
  Guarded<State> state;
  std::condition_variable changed;

 private:
  Steps& steps_;
};

class Life : public testing::Test {
 protected:
  Life() {
    std::string pattern = testing::TempDir() + "life-XXXXXX";
    base = ::mkdtemp(pattern.data());
    const char* source = std::getenv("PADDOCK_SOURCE_DIR");
    config.runs_dir = base + "/runs";
    config.environments.dir = base + "/venvs";
    config.sandbox_program = std::string(source == nullptr ? "." : source) +
                             "/node-agent/executor/testdata/fake-sandbox";
    EXPECT_TRUE(os::make_dirs(config.runs_dir).ok());
    store.emplace(*cas::BlobStore::open(base + "/cas"));
    const std::string content = "print('hi')\n";
    tree.entries.push_back(
        {"main.py", crypto::sha256_hex(content), static_cast<int64_t>(content.size()), false});
    blobs[tree.entries[0].digest] = content;
    assignment.run_uid = kUid;
    assignment.attempt = 1;
    assignment.name_space = "default";
    assignment.spec.artifacts.dirs = {"out"};
    assignment.workspace_root = cas::tree_root(tree);
  }
  ~Life() override {
    end_leftover(folder().file("lock"));
    (void)os::remove_tree(base);
  }
  RunFolder folder() const { return RunFolder(cat(config.runs_dir, "/", kUid, "-1")); }
  ExecutorPorts ports() {
    return {config,
            *store,
            [this] { return std::make_unique<FakeTransport>(tree, blobs, uploads, steps); },
            recorder,
            clock,
            random};
  }
  void behave(const std::string& verb) { assignment.spec.command.argv = {verb, base}; }
  std::unique_ptr<RunLife> accept() {
    auto made = RunLife::accept(ports(), assignment);
    EXPECT_TRUE(made.ok()) << made.error().describe();
    return std::move(*made);
  }
  contracts::RunOutcome last_outcome() {
    return recorder.state.with([](Recorder::State& s) {
      EXPECT_TRUE(!s.reports.empty() && s.reports.back().outcome.has_value());
      return s.reports.empty() ? contracts::RunOutcome{}
                               : s.reports.back().outcome.value_or(contracts::RunOutcome{});
    });
  }
  contracts::RunOutcome run() {
    life = accept();
    life->run();
    return last_outcome();
  }
  // How often the fake command was started, over all attempts to recover it.
  size_t starts() const {
    const auto text = os::read_file(base + "/starts");
    return text ? text->size() : 0;
  }
  std::string output_of(const RunLife& of, const std::string& stream) const {
    std::string out;
    int64_t seq = 0;
    while (true) {
      const auto chunks = of.read_output(seq, 1);
      if (chunks.empty()) return out;
      for (const auto& chunk : chunks) {
        EXPECT_EQ(chunk.seq, ++seq);
        if (chunk.stream == stream) out += *decode_base64(chunk.data);
      }
    }
  }

  std::string base;
  ExecutorConfig config;
  std::optional<cas::BlobStore> store;
  contracts::Tree tree;
  std::map<std::string, std::string> blobs;
  std::vector<std::string> uploads;
  contracts::Assignment assignment;
  Steps steps;
  Recorder recorder{steps};
  SystemClock clock;
  SystemRandom random;
  std::unique_ptr<RunLife> life;
};

TEST_F(Life, ARunGoesFromItsAssignmentToItsOutcomeWithOutputAndArtifacts) {
  behave("ok");
  const contracts::RunOutcome outcome = run();
  EXPECT_EQ(outcome.phase, RunPhase::kSucceeded);
  EXPECT_EQ(outcome.reason, "Completed");
  ASSERT_EQ(outcome.artifacts.size(), 1u);
  EXPECT_EQ(outcome.artifacts[0].path, "out/result.json");
  EXPECT_THAT(uploads, ElementsAre("out/result.json"));
  EXPECT_EQ(output_of(*life, "stdout"), "hello\n");
  EXPECT_EQ(output_of(*life, "stderr"), "bye\n");
  EXPECT_EQ(output_of(*life, "system"),
            "workspace: 1 file, 12 B (1 blob fetched)\nenvironment: none asked for\n"
            "artifacts: 1 file, 2 B\n");
  recorder.state.with([](Recorder::State& s) {
    std::vector<RunPhase> phases;
    for (const auto& each : s.reports) {
      if (phases.empty() || phases.back() != each.phase) phases.push_back(each.phase);
    }
    EXPECT_THAT(phases, ElementsAre(RunPhase::kPreparing, RunPhase::kRunning));
    for (const char* key : {"workspace", "environment", "run", "artifacts"}) {
      EXPECT_TRUE(s.reports.back().timings_ms.contains(key)) << key;
    }
    EXPECT_TRUE(s.reports.back().started_at.has_value());
  });
}

TEST_F(Life, AFailingCommandKeepsItsExitCodeAndItsArtifacts) {
  behave("fail");
  const contracts::RunOutcome outcome = run();
  EXPECT_EQ(outcome.phase, RunPhase::kFailed);
  EXPECT_EQ(outcome.reason, "NonZeroExit");
  EXPECT_EQ(outcome.result->rc, 3);
  EXPECT_EQ(outcome.artifacts.size(), 1u);
}

TEST_F(Life, ALauncherThatDiesWithoutAResultIsToldAsLost) {
  for (const char* verb : {"die", "torn"}) {
    behave(verb);
    const contracts::RunOutcome outcome = run();
    EXPECT_EQ(outcome.reason, "LAUNCHER_LOST") << verb;
    EXPECT_FALSE(outcome.result.has_value());
    EXPECT_EQ(output_of(*life, "stdout"), "hello\n") << verb;
    ASSERT_TRUE(life->erase().ok());
  }
}

TEST_F(Life, ALauncherThatDiesBeforeTheCommandIsToldAsLostToo) {
  behave("die-early");
  EXPECT_EQ(run().reason, "LAUNCHER_LOST");
  EXPECT_EQ(starts(), 0u);
}

TEST_F(Life, AMissingLauncherIsTheNodesFault) {
  config.sandbox_program = base + "/none";
  behave("ok");
  EXPECT_EQ(run().reason, "SANDBOX_UNAVAILABLE");
}

TEST_F(Life, ACancelBeforeTheStartRunsNothing) {
  behave("ok");
  assignment.desired = contracts::DesiredState::kCancel;
  const contracts::RunOutcome outcome = run();
  EXPECT_EQ(outcome.phase, RunPhase::kCanceled);
  EXPECT_EQ(starts(), 0u);
  EXPECT_FALSE(os::exists(folder().workspace()));
}

TEST_F(Life, ACancelWhileItRunsEndsTheCommand) {
  behave("wait");
  life = accept();
  auto running = std::async(std::launch::async, [this] { life->run(); });
  recorder.wait_for(RunPhase::kRunning);
  life->stop(StopKind::kCancel);
  running.wait();
  EXPECT_EQ(last_outcome().phase, RunPhase::kCanceled);
  EXPECT_EQ(last_outcome().result->status, contracts::SandboxStatus::kCanceled);
}

TEST_F(Life, AForgottenRunIsEndedAndLeavesNothing) {
  behave("wait");
  life = accept();
  auto running = std::async(std::launch::async, [this] { life->run(); });
  recorder.wait_for(RunPhase::kRunning);
  life->stop(StopKind::kForget);
  running.wait();
  EXPECT_FALSE(os::LockFile::held(folder().file("lock")));
  ASSERT_TRUE(life->erase().ok());
  EXPECT_FALSE(os::exists(folder().path()));
}

TEST_F(Life, AnAgentThatLeavesLetsTheCommandGoOnAndTheNextOneAdoptsIt) {
  behave("wait");
  life = accept();
  auto running = std::async(std::launch::async, [this] { life->run(); });
  recorder.wait_for(RunPhase::kRunning);
  life->stop(StopKind::kDetach);
  running.wait();
  EXPECT_TRUE(os::LockFile::held(folder().file("lock")));
  auto next = RunLife::recover(ports(), cat(kUid, "-1"));
  ASSERT_TRUE(next.ok());
  ASSERT_TRUE(os::write_file_atomic(base + "/go", "").ok());
  (*next)->run();
  EXPECT_EQ(last_outcome().phase, RunPhase::kSucceeded);
  EXPECT_EQ(starts(), 1u);
}

TEST_F(Life, ALauncherWhoseIdentityWasNotRecordedIsFoundByItsLockAndCanBeCanceled) {
  behave("wait");
  life = accept();
  auto running = std::async(std::launch::async, [this] { life->run(); });
  recorder.wait_for(RunPhase::kRunning);
  life->stop(StopKind::kDetach);
  running.wait();
  RunRecord record = *folder().record();
  record.launcher.reset();
  ASSERT_TRUE(folder().store(record).ok());
  auto next = RunLife::recover(ports(), cat(kUid, "-1"));
  ASSERT_TRUE(next.ok());
  (*next)->stop(StopKind::kCancel);
  (*next)->run();
  EXPECT_EQ(last_outcome().phase, RunPhase::kCanceled);
}

TEST_F(Life, KilledAfterTheIntentAndBeforeTheLaunchItIsNeverStarted) {
  behave("ok");
  accept().reset();
  ASSERT_TRUE(folder().store(RunRecord{.stage = Stage::kLaunching}).ok());
  const contracts::RunOutcome outcome = run();
  EXPECT_EQ(outcome.phase, RunPhase::kFailed);
  EXPECT_EQ(outcome.reason, "LAUNCHER_LOST");
  EXPECT_THAT(outcome.message, HasSubstr("may or may not have started"));
  EXPECT_EQ(starts(), 0u);
}

TEST_F(Life, ALauncherThatComesLateFindsItsLockTaken) {
  behave("ok");
  accept().reset();
  ASSERT_TRUE(folder().store(RunRecord{.stage = Stage::kLaunching}).ok());
  run();
  const LaunchFiles files{folder().file("request.json"), folder().file("events"),
                          folder().file("lock"), folder().file("launcher.log")};
  contracts::LaunchRequest request;
  request.trace_id = "late";
  request.command = {"ok", base};
  request.workdir = "/workspace";
  request.mounts = {{base, "/workspace", contracts::MountMode::kReadWrite}};
  ASSERT_TRUE(os::write_file_atomic(files.request, wire::to_json(wire::encode(request))).ok());
  const auto late = start_launcher(config.sandbox_program, files);
  ASSERT_TRUE(late.ok());
  reap_launcher(*late);
  EXPECT_EQ(starts(), 0u);
}

TEST_F(Life, AKnownOutcomeIsOnlyReportedAgain) {
  behave("ok");
  run();
  const size_t uploaded = uploads.size();
  run();
  EXPECT_EQ(last_outcome().reason, "Completed");
  EXPECT_EQ(uploads.size(), uploaded);
  EXPECT_EQ(starts(), 1u);
}

TEST_F(Life, AnUnreadableTreeFailsTheRun) {
  behave("ok");
  assignment.workspace_root = std::string(64, 'a');
  EXPECT_EQ(run().reason, "TREE_MISMATCH");
}

TEST_F(Life, AnOddUidMakesNoFolder) {
  assignment.run_uid = "../../etc";
  EXPECT_EQ(RunLife::accept(ports(), assignment).error().reason, "ASSIGNMENT_INVALID");
}

// The agent is killed at every point where it shows itself to the outside, and a new one takes
// over.
TEST_F(Life, KilledAnywhereTheCommandRunsOnceAndItsOutcomeIsTrue) {
  behave("ok");
  bool finished = false;
  int points = 0;
  for (; !finished; ++points) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      steps = {.seen = 0, .die_at = points};
      if (auto mine = RunLife::accept(ports(), assignment)) (*mine)->run();
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    finished = WIFEXITED(status);
    const contracts::RunOutcome outcome = run();
    // Between the intent and the launcher's lock nobody can know: said so, and never run again.
    if (outcome.reason == "LAUNCHER_LOST") {
      EXPECT_FALSE(finished);
      EXPECT_FALSE(outcome.result.has_value()) << "killed at point " << points;
      EXPECT_LE(starts(), 1u) << "killed at point " << points;
    } else {
      EXPECT_EQ(outcome.reason, "Completed") << "killed at point " << points;
      EXPECT_EQ(outcome.artifacts.size(), 1u) << "killed at point " << points;
      EXPECT_EQ(starts(), 1u) << "killed at point " << points;
      EXPECT_EQ(output_of(*life, "stdout"), "hello\n") << "killed at point " << points;
    }
    ASSERT_TRUE(life->erase().ok());
    ASSERT_TRUE(os::remove_tree(base + "/starts").ok());
  }
  EXPECT_GT(points, 8);
}

}  // namespace
}  // namespace paddock::executor
