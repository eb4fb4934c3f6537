// Whose fault it is that a sandbox could not be set up.
#include "node-agent/executor/run_life_fixture.h"

namespace paddock::executor {
namespace {

// A host that has lost something, or has not.
class FakeSandbox final : public HostSandbox {
 public:
  explicit FakeSandbox(bool lost) : lost_(lost) {}
  bool lost_since(MonoTime, StopSignal&) override {
    ++asked;
    return lost_;
  }
  void doubt() override { ++doubts; }
  int asked = 0;
  int doubts = 0;

 private:
  const bool lost_;
};

// Answers nobody who is not told to stop.
class SilentSandbox final : public HostSandbox {
 public:
  bool lost_since(MonoTime, StopSignal& stop) override {
    asked.set_value();
    while (!stop.wait(std::chrono::minutes(1), StopKind::kCancel)) {
    }
    return false;
  }
  void doubt() override {}
  std::promise<void> asked;
};

TEST_F(Life, OnAHostThatCanSetUpNoSandboxAnyMoreTheRunIsGivenBack) {
  FakeSandbox host(true);
  sandbox = &host;
  behave("refused-setup");
  const contracts::RunOutcome out = run();
  EXPECT_EQ(out.phase, contracts::RunPhase::kFailed);
  EXPECT_EQ(out.reason, "SANDBOX_SETUP_FAILED");
  EXPECT_TRUE(out.refused.value_or(false));
  EXPECT_FALSE(out.result);
  EXPECT_NE(out.message.find("making the namespaces"), std::string::npos) << out.message;
}

TEST_F(Life, OnAHostThatStillCanItIsTheRunsOwnEndWithItsResult) {
  FakeSandbox host(false);
  sandbox = &host;
  behave("refused-setup");
  const contracts::RunOutcome out = run();
  EXPECT_EQ(out.reason, "SandboxError");
  EXPECT_FALSE(out.refused.value_or(false));
  ASSERT_TRUE(out.result);
  EXPECT_EQ(host.asked, 1);
}

TEST_F(Life, NobodyAsksAboutACommandThatWasStartedOrWhatTheRunAskedForWrongly) {
  FakeSandbox host(true);
  sandbox = &host;
  for (const char* verb : {"no-setup", "fail", "ok"}) {
    ++assignment.attempt;
    behave(verb);
    EXPECT_FALSE(run().refused.value_or(false)) << verb;
  }
  EXPECT_EQ(host.asked + host.doubts, 0);
}

// It may have run, so it is not given back; the node itself wants to know.
TEST_F(Life, ALauncherThatDiedEarlyMakesTheNodeDoubtItself) {
  FakeSandbox host(true);
  sandbox = &host;
  behave("die-early");
  const contracts::RunOutcome out = run();
  EXPECT_EQ(out.reason, "LAUNCHER_LOST");
  EXPECT_FALSE(out.refused.value_or(false));
  EXPECT_EQ(host.doubts, 1);
}

TEST_F(Life, AnAgentThatLeavesBeforeItIsKnownLeavesTheQuestionToTheNext) {
  SilentSandbox silent;
  sandbox = &silent;
  behave("refused-setup");
  life = accept();
  auto running = std::async(std::launch::async, [this] { life->run(); });
  silent.asked.get_future().wait();
  life->stop(StopKind::kDetach);
  running.wait();
  FakeSandbox host(true);
  sandbox = &host;
  recover()->run();
  EXPECT_TRUE(last_outcome().refused.value_or(false));
  EXPECT_EQ(starts(), 0u);
}

}  // namespace
}  // namespace paddock::executor
