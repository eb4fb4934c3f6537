// What commands in a run may take: the limits of the run are theirs too.
#include <fcntl.h>

#include "tests/adversarial/exec_fixture.h"
#include "tests/adversarial/sleepers.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using launch::AttachedLaunch;

TEST_P(Exec, AreFewAtOnce) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  std::vector<AttachedLaunch> all;
  for (int i = 0; i < contracts::run_exec::kMostAtOnce; ++i) {
    auto command = begin({"sh", "-c", "echo up; sleep 1000"});
    ASSERT_TRUE(command.ok());
    all.push_back(std::move(*command));
    Executed up;
    ASSERT_TRUE(follow(all.back(), up, "up"));
  }
  const auto refused = begin({"true"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "TOO_MANY_COMMANDS");
  Executed ended;
  all.back().end();
  ASSERT_TRUE(follow(all.back(), ended));
  EXPECT_EQ(execute({"true"}).result.status, SandboxStatus::kOk);
  all.clear();
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
}

TEST_P(Exec, CountsInTheLimitsOfTheRun) {
  auto launch = open_run("");
  // A shell that waits by `sleep` would end when it cannot fork, and the command with it.
  launch.command = {"python3", "-c",
                    "import os, time\n"
                    "print('READY', flush=True)\n"
                    "while not os.path.exists('go'): time.sleep(0.02)"};
  launch.policy.limits.pids = 12;
  Launched run = start(launch);
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed many = execute({"python3", "-c",
                                 "import os, time\n"
                                 "made = 0\n"
                                 "try:\n"
                                 "  while made < 50:\n"
                                 "    if os.fork() == 0: time.sleep(1000)\n"
                                 "    made += 1\n"
                                 "except OSError: pass\n"
                                 "print('few' if made < 12 else made)"});
  EXPECT_EQ(many.out, "few\n") << many.err;
  allow();
  run.wait();
}

// The same of a run that has no room for one: it hears so, and goes on.
TEST_P(Exec, SaysThatTheRunHasNoRoomForIt) {
  auto launch = open_run("");
  launch.command = {"python3", "-c",
                    "import os, time\n"
                    "try:\n"
                    "  while True:\n"
                    "    if os.fork() == 0: time.sleep(1000)\n"
                    "except OSError: print('READY', flush=True)\n"
                    "while not os.path.exists('go'): time.sleep(0.02)"};
  launch.policy.limits.pids = 5;
  Launched run = start(launch);
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed none = execute({"true"});
  if (none.result.status != SandboxStatus::kOk) {  // as an ordinary user without a cgroup of pids
    EXPECT_EQ(none.result.status, SandboxStatus::kLimitExceeded) << none.result.reason;
    EXPECT_EQ(none.result.code, "E_LIMIT_PIDS");
  }
  allow();
  run.wait();
}

// What a further command is refused is in the run's result, under its name, and decides nothing.
TEST_P(Exec, CannotSpoilTheResultOfTheRun) {
  auto launch = open_run("echo READY; while [ ! -e go ]; do sleep 0.02; done; exit 9");
  Launched run = start(launch);
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed done = execute({"unshare", "-U", "true"}, kAmple, "nested");
  ASSERT_FALSE(done.result.denials.empty());
  EXPECT_EQ(done.result.code, "E_CAPABILITY_DENIED");
  allow();
  const Finished ended = run.wait();
  ASSERT_TRUE(ended.result);
  EXPECT_EQ(ended.result->status, SandboxStatus::kFailed);
  EXPECT_EQ(ended.result->rc, 9);
  EXPECT_FALSE(ended.result->error_class.has_value());
  ASSERT_FALSE(ended.result->denials.empty());
  for (const contracts::Denial& each : ended.result->denials) EXPECT_EQ(each.command_id, "nested");
}

TEST_P(Exec, BoundsItsOwnOutput) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed done = shell("head -c 30000000 /dev/zero | tr '\\0' x");
  EXPECT_TRUE(done.result.truncated.out);
  EXPECT_LE(done.out.size(), static_cast<size_t>(contracts::run_exec::kMostOutputBytes) + 4096);
  EXPECT_EQ(done.result.usage.stdout_bytes, 30'000'000);
  allow();
  EXPECT_EQ(run.wait().out, "READY\nDONE\n");
}

// Whoever is shown it while it comes has room for it, and the launcher keeps none.
TEST_P(Exec, HandsAllOfItsOutputOnToWhomeverIsShownIt) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  const contracts::ExecOrder shown{
      .run_uid = "r",
      .command_id = "shown",
      .command = {"sh", "-c", "head -c 30000000 /dev/zero | tr '\\0' x; echo end >&2"},
      .time_ms = kAmple.count(),
      .stream = true};
  auto begun = ordered([&] { return AttachedLaunch::execute(exec_socket(), shown, 64 << 20); });
  ASSERT_TRUE(begun.ok()) << begun.error().describe();
  Executed done;
  ASSERT_TRUE(follow(*begun, done));
  EXPECT_EQ(done.out, std::string(30'000'000, 'x'));
  EXPECT_EQ(done.err, "end\n");
  EXPECT_EQ(done.result.out, "");
  EXPECT_FALSE(done.result.truncated.out);
  EXPECT_EQ(done.result.usage.stdout_bytes, 30'000'000);
  allow();
  run.wait();
}

}  // namespace
}  // namespace paddock::adversarial
