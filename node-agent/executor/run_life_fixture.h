// For this module's tests: one run's life with a fake launcher (testdata/fake-sandbox), a fake
// controller, and an observer that remembers all it was told.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/guarded.h"
#include "common/cas/tree.h"
#include "common/os/file.h"
#include "node-agent/executor/run_life.h"

namespace paddock::executor {

constexpr const char* kUid = "11111111-2222-4333-8444-555555555555";

// Counts everything the run's life does outwardly, on any of its threads; may end the process at
// one of these points.
struct Steps {
  std::atomic<int> seen = 0;
  int die_at = -1;
  void step() {
    if (seen++ == die_at) ::kill(::getpid(), SIGKILL);
  }
};

// What a run's files were named as finished, in turn.
class Finished {
 public:
  void add(const contracts::FinishedArtifacts& named) {
    all_.with([&](auto& all) { all.push_back(named); });
    changed_.notify_all();
  }
  size_t times(const std::string& path) {
    std::vector<contracts::Artifact> found;
    return all_.with([&](auto& all) { return items(all, path, found); });
  }
  // How `path` was named for the `times`th time.
  contracts::Artifact wait_for(const std::string& path, size_t times = 1) {
    std::vector<contracts::Artifact> found;
    const auto there = [&](auto& all) { return items(all, path, found) >= times; };
    while (!all_.wait_for(changed_, std::chrono::seconds(30), there,
                          [](auto&, bool in_time) { return in_time; })) {
    }
    return found[times - 1];
  }

 private:
  static size_t items(const std::vector<contracts::FinishedArtifacts>& all, const std::string& path,
                      std::vector<contracts::Artifact>& found) {
    found.clear();
    for (const auto& each : all)
      for (const auto& item : each.items)
        if (item.path == path) found.push_back(item);
    return found.size();
  }
  Guarded<std::vector<contracts::FinishedArtifacts>> all_;
  std::condition_variable changed_;
};

class FakeTransport : public RunTransport {
 public:
  FakeTransport(const contracts::Tree& tree, const std::map<std::string, std::string>& blobs,
                std::vector<std::string>& uploads, Steps& steps, Finished& finished,
                std::map<std::string, contracts::Tree> volumes = {},
                std::optional<Error> upload_fails = {})
      : tree_(tree),
        blobs_(blobs),
        uploads_(uploads),
        steps_(steps),
        finished_(finished),
        volumes_(std::move(volumes)),
        upload_fails_(std::move(upload_fails)) {}
  Result<contracts::Tree> fetch_tree(const std::string&, const std::string& volume) override {
    steps_.step();
    if (!volume.empty()) return volumes_.at(volume);
    return tree_;
  }
  Status fetch_blob(const std::string&, const std::string& digest, int64_t,
                    const cas::BlobStore& store) override {
    steps_.step();
    const auto stored = store.put(blobs_.at(digest));
    return stored ? Status() : Status(stored.error());
  }
  // An answer that brings the first half of what was asked for.
  Status fetch_bundle(const std::string&, std::vector<const contracts::TreeEntry*>& missing,
                      const cas::BlobStore& store) override {
    steps_.step();
    const auto rest = missing.begin() + std::ssize(missing) / 2;
    for (auto each = missing.begin(); each != rest; ++each) {
      const auto stored = store.put(blobs_.at((*each)->digest));
      if (!stored) return stored.error();
    }
    missing.erase(missing.begin(), rest);
    return {};
  }
  Status upload_artifact(const std::string&, int, const contracts::Artifact& artifact) override {
    steps_.step();
    if (upload_fails_) return *upload_fails_;
    uploads_.push_back(artifact.path);
    return {};
  }
  Status name_finished(const std::string&, const contracts::FinishedArtifacts& named) override {
    steps_.step();
    finished_.add(named);
    return {};
  }
  Result<contracts::RunSecretsAnswer> secrets(const std::string&, int64_t attempt) override {
    EXPECT_EQ(attempt, 1);
    return contracts::RunSecretsAnswer{
        {{"db/password", "", "aHVudGVyMg=="}, {"", "TOKEN", "dGlnZXI="}}};
  }
  void abort() override {}

 private:
  const contracts::Tree& tree_;
  const std::map<std::string, std::string>& blobs_;
  std::vector<std::string>& uploads_;
  Steps& steps_;
  Finished& finished_;
  const std::map<std::string, contracts::Tree> volumes_;
  const std::optional<Error> upload_fails_;
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
  void wait_for(contracts::RunPhase phase) {
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

// Each look at it is later.
class HastyClock final : public Clock {
 public:
  std::atomic<int64_t> step_ms = 4'000;
  WallTime wall() const override { return SystemClock().wall(); }
  MonoTime mono() const override { return MonoTime{} + Millis(step_ms * ++looks_); }

 private:
  mutable std::atomic<int64_t> looks_ = 0;
};

class Life : public testing::Test {
 protected:
  Life() {
    std::string pattern = testing::TempDir() + "life-XXXXXX";
    base = ::mkdtemp(pattern.data());
    const char* source = std::getenv("PADDOCK_SOURCE_DIR");
    config.runs_dir = base + "/runs";
    config.environments.dir = base;
    config.sandbox_program = std::string(source == nullptr ? "." : source) +
                             "/node-agent/executor/testdata/fake-sandbox";
    EXPECT_TRUE(os::make_dirs(config.runs_dir).ok());
    store.emplace(*cas::BlobStore::open(base + "/cas"));
    intents = std::move(*LaunchIntents::open(base + "/launches"));
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
    end_leftover(folder().file("events"));
    (void)os::remove_tree(base);
  }
  RunFolder folder() const {
    return RunFolder(config.runs_dir, cat(kUid, "-", assignment.attempt));
  }
  ExecutorPorts ports() {
    return {config,
            *store,
            [this] {
              return std::make_unique<FakeTransport>(tree, blobs, uploads, steps, finished, volumes,
                                                     upload_fails);
            },
            recorder,
            hasty ? static_cast<const Clock&>(*hasty) : clock,
            random,
            *intents,
            server.get(),
            trees.get(),
            parallel,
            &accelerators,
            &processors,
            disk.get(),
            sandbox};
  }
  // Files that it finishes while it lives are looked for, often.
  void look_while_it_lives() {
    config.look_every = Millis(5);
    parallel = [](std::vector<std::function<void()>> tasks) {
      std::vector<std::future<void>> all;
      for (auto& task : tasks) all.push_back(std::async(std::launch::async, std::move(task)));
    };
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
  // Lives on a thread of its own; its command runs when this returns.
  std::future<void> start_running() {
    life = accept();
    auto running = std::async(std::launch::async, [this] { life->run(); });
    recorder.wait_for(contracts::RunPhase::kRunning);
    return running;
  }
  // Runs a command that waits, wishes `kind` once it is running, and returns when its life is over.
  void stop_while_running(StopKind kind) {
    behave("wait");
    auto running = start_running();
    life->stop(kind);
    running.wait();
  }
  // What an agent leaves that is killed after it wrote its intent and before it launched.
  void die_before_launch() {
    behave("ok");
    accept().reset();
    ASSERT_TRUE(folder().store(RunRecord{.stage = Stage::kLaunching}).ok());
  }
  // The next agent's view of the run.
  std::unique_ptr<RunLife> recover() {
    auto next = RunLife::recover(ports(), cat(kUid, "-1"));
    EXPECT_TRUE(next.ok()) << next.error().describe();
    return std::move(*next);
  }
  // A next agent finds the command that waits, lets it go on, and sees it succeed.
  void adopt_and_finish() {
    EXPECT_TRUE(os::LockFile::held(folder().file("events")));
    const auto next = recover();
    ASSERT_TRUE(os::write_file_atomic(base + "/go", "").ok());
    next->run();
    EXPECT_EQ(last_outcome().phase, contracts::RunPhase::kSucceeded);
    EXPECT_EQ(starts(), 1u);
  }
  // A next agent that nobody told which process the launcher is cancels the command that waits.
  void cancel_an_unknown_launcher() {
    RunRecord record = *folder().record();
    record.launcher.reset();
    ASSERT_TRUE(folder().store(record).ok());
    const auto next = recover();
    next->stop(StopKind::kCancel);
    next->run();
    EXPECT_EQ(last_outcome().phase, contracts::RunPhase::kCanceled);
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
  std::unique_ptr<LaunchIntents> intents;
  std::optional<cas::BlobStore> store;
  contracts::Tree tree;
  std::map<std::string, contracts::Tree> volumes;
  std::map<std::string, std::string> blobs;
  std::vector<std::string> uploads;
  std::optional<Error> upload_fails;  // of each
  contracts::Assignment assignment;
  Steps steps;
  Finished finished;
  Parallel parallel;  // none unless a test wants it
  Recorder recorder{steps};
  SystemClock clock;
  std::unique_ptr<HastyClock> hasty;  // none unless a test makes one
  SystemRandom random;
  devices::AcceleratorLedger accelerators;  // empty unless a test fills it
  devices::ProcessorLedger processors{{4, 6, 8}};
  std::unique_ptr<devices::DiskLedger> disk;    // none unless a test makes one
  std::unique_ptr<workspace::TreeCache> trees;  // none unless a test makes one
  std::unique_ptr<LaunchServer> server;         // none unless a test makes one
  HostSandbox* sandbox = nullptr;               // none unless a test makes one
  std::unique_ptr<RunLife> life;
};

}  // namespace paddock::executor
