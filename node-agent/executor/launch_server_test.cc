// Runs that a serving launcher launches, and what becomes of them when there is none.
#include "node-agent/executor/launch_server.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node-agent/executor/run_life_fixture.h"

namespace paddock::executor {
namespace {

using contracts::RunPhase;

class Served : public Life {
 protected:
  void SetUp() override {
    ASSERT_TRUE(os::make_dirs(dir()).ok());
    const std::string pipe = dir() + "/listening";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    listening.reset(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_TRUE(listening.valid());
    server = make_server();
    server->start();
    wait_until_listening();
  }
  std::string dir() const { return base + "/server"; }
  std::unique_ptr<LaunchServer> make_server(int patience_ms = 60'000) {
    return std::make_unique<LaunchServer>(config.sandbox_program, dir(), server_clock,
                                          std::vector<std::string>(), patience_ms);
  }
  // Each server says it once.
  void wait_until_listening() const {
    char byte = 0;
    ASSERT_EQ(::read(listening.get(), &byte, 1), 1);
  }
  size_t served() const {
    const auto text = os::read_file(base + "/served");
    return text ? text->size() : 0;
  }
  os::ProcessIdentity holder() const { return find_lock_holder(dir() + "/lock").value(); }
  void kill_server() const {
    const os::ProcessIdentity old = holder();
    ASSERT_TRUE(os::signal_process(old, SIGKILL).ok());
    ASSERT_TRUE(os::wait_gone(old, 60'000));
  }

  ManualClock server_clock;
  os::Fd listening;
};

TEST_F(Served, ARunIsLaunchedByTheServer) {
  behave("ok");
  EXPECT_EQ(run().phase, RunPhase::kSucceeded);
  EXPECT_EQ(served(), 1u);
  EXPECT_EQ(starts(), 1u);
}

TEST_F(Served, ACancelReachesItsLauncher) {
  stop_while_running(StopKind::kCancel);
  EXPECT_EQ(last_outcome().phase, RunPhase::kCanceled);
  EXPECT_EQ(served(), 1u);
}

TEST_F(Served, AnAgentThatComesLaterAdoptsItAndReplacesTheServer) {
  stop_while_running(StopKind::kDetach);
  const os::ProcessIdentity old = holder();
  const auto next_server = make_server();
  next_server->start();
  EXPECT_FALSE(os::alive(old));
  adopt_and_finish();
}

TEST_F(Served, ItsLaunchersAreFoundByTheirLock) {
  stop_while_running(StopKind::kDetach);
  cancel_an_unknown_launcher();
}

TEST_F(Served, WithoutAServerARunStartsItsOwnLauncherAndTheNextOneIsServedAgain) {
  kill_server();
  server_clock.advance(Millis(60'000));
  behave("ok");
  EXPECT_EQ(run().phase, RunPhase::kSucceeded);
  EXPECT_EQ(served(), 0u);
  wait_until_listening();
  assignment.attempt = 2;
  EXPECT_EQ(run().phase, RunPhase::kSucceeded);
  EXPECT_EQ(served(), 1u);
}

TEST_F(Served, AServerThatCannotLiveIsNotStartedForEveryRun) {
  kill_server();
  behave("ok");
  EXPECT_EQ(run().phase, RunPhase::kSucceeded);
  EXPECT_EQ(served(), 0u);
  EXPECT_FALSE(find_lock_holder(dir() + "/lock"));
  EXPECT_FALSE(find_lock_holder(dir() + "/lock", ::getpid())) << "who does not hold it";
}

TEST_F(Served, WhoIsExpectedToHoldTheLockIsAskedFirst) {
  const os::ProcessIdentity server = holder();
  for (const pid_t expected : {server.pid, ::getpid(), 1}) {
    const auto found = find_lock_holder(dir() + "/lock", expected);
    ASSERT_TRUE(found) << expected;
    EXPECT_EQ(found->pid, server.pid);
    EXPECT_EQ(found->start_ticks, server.start_ticks);
  }
}

TEST_F(Served, AReplacedProgramServesTheNextRunAndTheOneUnderWayGoesOn) {
  stop_while_running(StopKind::kDetach);
  const os::ProcessIdentity old = holder();
  server->replace();
  wait_until_listening();
  EXPECT_FALSE(os::alive(old));
  EXPECT_TRUE(os::alive(holder()));
  adopt_and_finish();
}

TEST_F(Served, ARefusedOrderIsLaunchedOnItsOwn) {
  ASSERT_TRUE(os::write_file_atomic(dir() + "/refuse", "").ok());
  behave("ok");
  EXPECT_EQ(run().phase, RunPhase::kSucceeded);
  EXPECT_EQ(served(), 0u);
  EXPECT_EQ(starts(), 1u);
}

// What answers so may run, and a second launcher would only find the run's lock taken.
TEST_F(Served, AnUnclearAnswerStartsNoSecondLauncher) {
  ASSERT_TRUE(os::write_file_atomic(dir() + "/mumble", "").ok());
  behave("ok");
  EXPECT_EQ(run().phase, RunPhase::kSucceeded);
  EXPECT_EQ(served(), 1u);
  EXPECT_EQ(starts(), 1u);
}

TEST_F(Served, ACancelReachesALauncherThatAnsweredUnclearly) {
  ASSERT_TRUE(os::write_file_atomic(dir() + "/mumble", "").ok());
  stop_while_running(StopKind::kCancel);
  EXPECT_EQ(last_outcome().phase, RunPhase::kCanceled);
}

// It holds the run's lock already, and never answers.
TEST_F(Served, ARunWhoseLauncherStandsStillBeforeItsAnswerIsLaunchedOnItsOwn) {
  server.reset();
  server = make_server(2'000);
  server->start();
  wait_until_listening();
  ASSERT_TRUE(os::write_file_atomic(dir() + "/stand-still", "").ok());
  behave("ok");
  EXPECT_EQ(run().phase, RunPhase::kSucceeded);
  EXPECT_EQ(served(), 0u);
  EXPECT_EQ(starts(), 1u);
}

// It comes to the order when that was given up, and has the run's lock when the run's own launcher
// wants it.
TEST_F(Served, ALauncherThatFindsTheLockTakenByOneThatWasGivenUpIsStartedAgain) {
  server.reset();
  server = make_server(100);
  server->start();
  wait_until_listening();
  ASSERT_TRUE(os::write_file_atomic(dir() + "/too-late", "").ok());
  behave("ok");
  EXPECT_EQ(run().phase, RunPhase::kSucceeded);
  EXPECT_TRUE(os::exists(dir() + "/taken"));
  EXPECT_EQ(served(), 0u);
  EXPECT_EQ(starts(), 1u);
}

TEST_F(Served, TheServerLeavesWithItsAgent) {
  const os::ProcessIdentity old = holder();
  server.reset();
  EXPECT_FALSE(os::alive(old));
}

}  // namespace
}  // namespace paddock::executor
