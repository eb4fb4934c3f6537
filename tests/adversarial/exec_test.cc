// Commands that are executed in a run while it runs: they are where its own command is, and behind
// the same walls.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <array>

#include "common/os/packet_socket.h"
#include "tests/adversarial/exec_fixture.h"
#include "tests/adversarial/sleepers.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;
using testing::Not;

INSTANTIATE_TEST_SUITE_P(, Exec, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Exec, IsWhereTheRunIs) {
  auto launch = patient("echo hi > /tmp/note; ");
  launch.env["OF_THE_RUN"] = "yes";
  Launched run = start(launch);
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed done =
      shell("cat /tmp/note; pwd; echo $OF_THE_RUN; echo wrong >&2; echo made > made; exit 7");
  EXPECT_EQ(done.out, "hi\n/workspace\nyes\n");
  EXPECT_EQ(done.err, "wrong\n");
  EXPECT_EQ(done.result.status, SandboxStatus::kFailed);
  EXPECT_EQ(done.result.rc, 7);
  EXPECT_EQ(done.result.out, done.out);
  EXPECT_TRUE(os::exists(workspace() + "/made"));
  EXPECT_EQ(execute({"true"}).result.status, SandboxStatus::kOk);
  const Executed missing = execute({"no-such-program"});
  EXPECT_EQ(missing.result.rc, 127) << missing.result.reason;
  allow();
  const Finished ended = run.wait();
  ASSERT_TRUE(ended.result);
  EXPECT_EQ(ended.result->status, SandboxStatus::kOk);
  EXPECT_EQ(ended.out, "READY\nDONE\n");  // and nothing of the others
  EXPECT_FALSE(begin({"true"}).ok());
}

// All that the kernel says of a process, but for numbers that are its own.
// It reads it as a pipe of its own, also by name, and what it leaves unread holds up nobody.
TEST_P(Exec, ReadsWhatItIsFedToItsEnd) {
  signal(SIGPIPE, SIG_IGN);
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  EXPECT_EQ(fed({"cat"}, "one\ntwo").out, "one\ntwo");
  // An ordinary user's agent makes the pipe itself; here that is root, whose pipe it may not open.
  if (GetParam() == As::kRoot) {
    EXPECT_EQ(fed({"cat", "/dev/stdin"}, "by name").out, "by name");
  }
  EXPECT_EQ(fed({"wc", "-c"}, std::string(size_t{8} << 20, 'x')).out, "8388608\n");
  EXPECT_EQ(fed({"wc", "-c"}, "").out, "0\n");
  EXPECT_EQ(execute({"wc", "-c"}).out, "0\n");
  const std::string more(size_t{1} << 20, 'x');
  EXPECT_EQ(fed({"sh", "-c", "exit 5"}, more).result.rc, 5);
  EXPECT_EQ(fed({"sh", "-c", "sleep 4716 & exit 6"}, more).result.rc, 6);
  EXPECT_TRUE(no_sleep_is_left("4716"));
  EXPECT_EQ(fed({"sleep", "4717"}, more, Millis(300)).result.status, SandboxStatus::kTimeout);
  EXPECT_TRUE(no_sleep_is_left("4717"));
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
}

TEST_P(Exec, IsBehindTheSameWalls) {
  const std::string told =
      "for n in user mnt pid net ipc uts cgroup; do readlink /proc/self/ns/$n; done; "
      "grep -E '^(Seccomp|NoNewPrivs|Cap|Uid|Gid|Groups|Sig(Blk|Ign))' /proc/self/status; "
      "cat /proc/self/limits /proc/self/cgroup /proc/self/mountinfo /proc/self/uid_map; umask; "
      "ls -l /proc/self/root; ls /proc/self/fd; readlink /proc/self/fd/0";
  Launched run = start(patient("(" + told + ") > /tmp/of-the-run 2>&1; "));
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed same =
      shell("(" + told +
            ") > /tmp/of-the-other 2>&1; wc -l < /tmp/of-the-run; "
            "sed 's/ [A-Z][a-z][a-z] .* root -> / root -> /' -i /tmp/of-the-run /tmp/of-the-other; "
            "diff /tmp/of-the-run /tmp/of-the-other && echo SAME");
  EXPECT_THAT(same.out, HasSubstr("SAME")) << same.out << same.err;
  EXPECT_GT(atoi(same.out.c_str()), 40);
  allow();
  run.wait();
}

// What no command of a run gets out of, no further one does.
TEST_P(Exec, HostileProgramsFindNoWayOutEither) {
  contracts::LaunchRequest launch = patient();
  launch.policy.network = contracts::NetworkPolicy{.loopback = false};
  Launched run = start(launch);
  ASSERT_TRUE(run.wait_for_output("READY"));
  for (const char* name : {"descriptors", "launcher_process", "namespaces", "kernel_surface",
                           "second_wall", "network", "mounts", "proc_files"}) {
    const Executed done = execute(probe(name));
    EXPECT_THAT(done.out, HasSubstr("CONTAINED")) << name << done.err << done.result.reason;
    EXPECT_THAT(done.out, Not(HasSubstr("BREACH"))) << name;
  }
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
}

TEST_P(Exec, HasTheToolsOfTheRun) {
  auto launch = patient();
  launch.policy.tools = {"sh", "cat", "sleep"};
  Launched run = start(launch);
  if (!run.wait_for_output("READY")) {
    const Finished done = run.wait();
    ASSERT_THAT(done.result->reason, HasSubstr("TOOLS_UNSUPPORTED"));
    GTEST_SKIP() << done.result->reason;
  }
  EXPECT_EQ(shell("cat /etc/hostname").out, "sandbox\n");
  const Executed other = shell("ls / && echo BREACH");
  EXPECT_EQ(other.out, "");
  EXPECT_FALSE(other.result.denials.empty());
  EXPECT_EQ(execute({"ls", "/"}).result.rc, 126);
  allow();
  run.wait();
}

TEST_P(Exec, KeepsSecretsOutOfItsOutput) {
  auto launch = patient();
  launch.env["TOKEN"] = "hush-hush-hush";
  launch.secrets = {{base64("hush-hush-hush"), ""}};
  Launched run = start(launch);
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed done = shell("echo \"it is $TOKEN\"; exit 1");
  EXPECT_THAT(done.out, Not(HasSubstr("hush")));
  EXPECT_THAT(done.result.out, Not(HasSubstr("hush")));
  EXPECT_EQ(done.result.rc, 1);
  allow();
  run.wait();
}

// The socket is a way in for the agent alone, and takes nothing else.
TEST_P(Exec, TakesNoOtherOrder) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  struct stat file {};
  ASSERT_EQ(stat(exec_socket().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0600u);
  EXPECT_THAT(answer_to(exec_socket(), "paddock launch 1", {}), HasSubstr("BAD_ORDER"));
  // A file, or a folder of the host, is no input.
  for (const char* input : {"/etc/passwd", "/"}) {
    const auto order = os::file_in_memory("{}");
    const os::Fd third(open(input, O_RDONLY | O_CLOEXEC));
    const std::array<int, 3> fds = {order->get(), order->get(), third.get()};
    EXPECT_THAT(answer_to(exec_socket(), contracts::kExecOrder, fds), HasSubstr("BAD_ORDER"))
        << input;
  }
  Executed done;
  auto begun = begin({std::string("a\0b", 3)});
  if (begun.ok() && follow(*begun, done)) {
    EXPECT_EQ(done.result.status, SandboxStatus::kInternalError);
  }
  EXPECT_EQ(execute({"true"}).result.status, SandboxStatus::kOk);
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
}

// A launcher that serves this run alone does it too.
TEST_P(Exec, WorksInARunWithALauncherOfItsOwn) {
  Launched run = SandboxTest::start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  EXPECT_EQ(shell("echo here").out, "here\n");
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
}

}  // namespace
}  // namespace paddock::adversarial
