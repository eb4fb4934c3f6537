// A command in a run ends with its time, whatever its processes do, and the run goes on.
#include "tests/adversarial/exec_fixture.h"
#include "tests/adversarial/late_timers.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;

constexpr Millis kTime{1'000};

class ExecTime : public Exec {
 protected:
  std::string marker() const { return folder() + "/outrun"; }
  // Its command starts nothing, so it does without another process.
  contracts::LaunchRequest roomy() const {
    contracts::LaunchRequest out = open_run(
        "exec python3 -c \"\nimport os, time\nprint('READY', flush=True)\n"
        "while not os.path.exists('go'): time.sleep(0.02)\nprint('DONE')\"");
    out.env["PADDOCK_MARKER"] = marker();
    out.policy.limits.pids = 1'000;
    out.policy.limits.cpu_time = wire::Duration{kAmple};
    // A thousand that die take some hundred MiB of the kernel. Where nothing but the address space
    // bounds the memory, that would be all there is.
    out.policy.limits.memory = wire::Quantity{int64_t{4} << 30};
    if (!as_root()) out.policy.limits.memory.reset();
    out.policy.limits.address_space = wire::Quantity{int64_t{1} << 40};
    return out;
  }
  Executed execute_in_turn(const std::vector<std::string>& command, Millis time = kAmple) {
    return execute(command, time, cat("c", ++commands_));
  }
  // Executes it until it ends with its time, within 500 ms beside what the machine itself is late,
  // as in Stall.
  void expect_timely(const std::vector<std::string>& command) {
    constexpr Millis kOurs{500};
    constexpr int kSteps = 4;
    constexpr int kMostTries = 8;
    std::string late_by;
    for (int i = 0; i < kMostTries; ++i) {
      const LateTimers timers;
      const Executed done = execute_in_turn(command, kTime);
      ASSERT_EQ(done.result.status, SandboxStatus::kTimeout) << done.result.reason;
      const Millis late = Millis(done.result.duration_ms) - kTime;
      if (late <= kOurs + kSteps * timers.latest()) return;
      late_by += cat(" ", late.count(), " (timers: ", timers.latest().count(), ")");
    }
    ADD_FAILURE() << command[1] << " was late each time, by so many milliseconds:" << late_by;
  }

 private:
  int commands_ = 0;
};
INSTANTIATE_TEST_SUITE_P(, ExecTime, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(ExecTime, IsKeptWhateverItsProcessesDo) {
  if (kernel_version() < std::pair(6, 12)) GTEST_SKIP() << "Landlock scopes no signals here";
  Launched run = start(roomy());
  ASSERT_TRUE(run.wait_for_output("READY"));
  for (const std::vector<std::string>& how : {std::vector<std::string>{"hop", "20"},
                                              {"hop", "200"},
                                              {"sessions", "200"},
                                              {"breed", "1"},
                                              {"spin", "500"},
                                              {"stall", "60", "12", "4"}}) {
    std::vector<std::string> command = probe(how[0] == "stall" ? "stall" : "outrun", how);
    if (how[0] == "stall") command.erase(command.begin() + 1);
    expect_timely(command);
    EXPECT_EQ(execute_in_turn({"echo", "here"}).out, "here\n") << how[0];
  }
  allow();
  const Finished ended = run.wait();
  EXPECT_EQ(ended.result->status, SandboxStatus::kOk) << ended.result->reason;
  EXPECT_EQ(ended.out, "READY\nDONE\n");
  EXPECT_TRUE(gone_with_marker(marker()));
}

// Its own end leaves nothing either, though what it left cannot be caught one by one.
TEST_P(ExecTime, IsNotSpentByWhatItLeaves) {
  if (kernel_version() < std::pair(6, 12)) GTEST_SKIP() << "Landlock scopes no signals here";
  Launched run = start(roomy());
  ASSERT_TRUE(run.wait_for_output("READY"));
  const std::string leave = probe("outrun")[0] +
                            " sessions 100 > left & "
                            "until read -r said < left; do :; done 2> /dev/null; exit 3";
  const Executed done = shell(leave);
  EXPECT_EQ(done.result.rc, 3) << done.result.reason;
  allow();
  // Were one left, it could still start others in the run's grace.
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
  EXPECT_TRUE(gone_with_marker(marker()));
}

}  // namespace
}  // namespace paddock::adversarial
