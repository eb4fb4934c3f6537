// Commands that are executed in a run while it runs: they are where its own command is, behind the
// same walls, and gone with it.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/run_exec.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "node-agent/launch/attached_launch.h"
#include "node-agent/sessions/command.h"
#include "tests/adversarial/serve_fixture.h"
#include "tests/adversarial/sleepers.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;
using launch::AttachedLaunch;
using testing::HasSubstr;
using testing::Not;

struct Executed {
  SandboxResult result;
  std::string out;
  std::string err;
};

class Exec : public ServeTest {
 protected:
  std::string exec_socket() const { return folder() + "/io/exec"; }
  contracts::LaunchRequest open_run(const std::string& script) const {
    auto out = request({"sh", "-c", script});
    out.exec_socket = exec_socket();
    return out;
  }
  // Runs until the test ends it.
  contracts::LaunchRequest patient(const std::string& before = "") const {
    return open_run(before + "echo READY; while [ ! -e go ]; do sleep 0.02; done; echo DONE");
  }
  void allow() const { EXPECT_TRUE(os::write_file_atomic(workspace() + "/go", "", 0666).ok()); }

  Result<AttachedLaunch> begin(std::vector<std::string> command, Millis time = Millis(100'000),
                               const std::string& id = "one") const {
    return AttachedLaunch::execute(
        exec_socket(),
        {.run_uid = "r", .command_id = id, .command = std::move(command), .time_ms = time.count()},
        64 << 20);
  }
  // To its end, or to this text in its output.
  static bool follow(AttachedLaunch& command, Executed& done, std::string_view until = {}) {
    const auto take = [&](contracts::FrameType type, std::string_view bytes) {
      (type == contracts::FrameType::kStdout ? done.out : done.err) += bytes;
    };
    while (!command.has_result()) {
      if (!until.empty() && done.out.find(until) != std::string::npos) return true;
      pollfd news{command.events(), POLLIN, 0};
      if (poll(&news, 1, 120'000) != 1 || !command.read_events(take).ok()) return false;
    }
    done.result = command.take_result();
    return until.empty() || done.out.find(until) != std::string::npos;
  }
  Executed execute(std::vector<std::string> command, Millis time = Millis(100'000),
                   const std::string& id = "one") const {
    Executed done;
    auto begun = begin(std::move(command), time, id);
    EXPECT_TRUE(begun.ok()) << (begun.ok() ? "" : begun.error().describe());
    if (begun.ok()) {
      EXPECT_TRUE(follow(*begun, done));
    }
    return done;
  }
  Executed fed(std::vector<std::string> command, const std::string& input,
               Millis time = Millis(100'000)) const {
    Executed done;
    auto begun = AttachedLaunch::execute(exec_socket(),
                                         {.run_uid = "r",
                                          .command_id = "fed",
                                          .command = std::move(command),
                                          .time_ms = time.count()},
                                         64 << 20, AttachedLaunch::Input::kPipe);
    EXPECT_TRUE(begun.ok()) << (begun.ok() ? "" : begun.error().describe());
    if (!begun.ok()) return done;
    const auto take = [&](contracts::FrameType type, std::string_view bytes) {
      (type == contracts::FrameType::kStdout ? done.out : done.err) += bytes;
    };
    const sessions::Following how{.wall_time = time, .on_output = take, .input = input};
    auto result = sessions::follow(*begun, how, SystemClock());
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().describe());
    if (result.ok()) done.result = std::move(*result);
    return done;
  }
  Executed shell(const std::string& script, Millis time = Millis(100'000)) const {
    return execute({"sh", "-c", script}, time);
  }
};
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

TEST_P(Exec, WorksWhileTheRunsCommandStandsStill) {
  Launched run = start(open_run("echo READY; kill -STOP $$; echo AWAKE"));
  ASSERT_TRUE(run.wait_for_output("READY"));
  EXPECT_EQ(shell("echo here").out, "here\n");
  kill(run.pid(), SIGTERM);
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kCanceled);
}

TEST_P(Exec, LeavesNothingBehind) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed done = shell(
      ": > /tmp/begun; for i in 1 2 3; do "
      "setsid sh -c 'sleep 4711 & echo >> /tmp/begun; sleep 4711' & done; "
      "while [ \"$(wc -l < /tmp/begun)\" != 3 ]; do sleep 0.02; done; echo begun");
  EXPECT_EQ(done.out, "begun\n");
  EXPECT_EQ(done.result.status, SandboxStatus::kOk);
  EXPECT_TRUE(no_sleep_is_left("4711"));
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
}

TEST_P(Exec, EndsWithTheRunWhichDoesNotWaitForIt) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  auto command = begin({"sh", "-c", "trap '' TERM; setsid sleep 4712 & echo up; sleep 4712"});
  ASSERT_TRUE(command.ok());
  Executed done;
  ASSERT_TRUE(follow(*command, done, "up"));
  allow();
  const Finished ended = run.wait();
  EXPECT_EQ(ended.result->status, SandboxStatus::kOk);
  EXPECT_LT(ended.result->duration_ms, 60'000);
  ASSERT_TRUE(follow(*command, done));
  EXPECT_EQ(done.result.status, SandboxStatus::kCanceled);
  EXPECT_EQ(done.result.code, "RUN_ENDED");
  EXPECT_TRUE(no_sleep_is_left("4712"));
}

// In the run's grace too.
TEST_P(Exec, EndsWithACanceledRun) {
  auto launch = open_run("trap 'exit 3' TERM; echo READY; while :; do sleep 0.02; done");
  launch.cancel_grace_ms = 60'000;
  Launched run = start(launch);
  ASSERT_TRUE(run.wait_for_output("READY"));
  auto command = begin({"sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"});
  ASSERT_TRUE(command.ok());
  Executed done;
  ASSERT_TRUE(follow(*command, done, "up"));
  kill(run.pid(), SIGTERM);
  const Finished ended = run.wait();
  EXPECT_EQ(ended.result->status, SandboxStatus::kCanceled);
  EXPECT_LT(ended.result->duration_ms, 50'000);
  ASSERT_TRUE(follow(*command, done));
  EXPECT_EQ(done.result.code, "RUN_ENDED");
}

TEST_P(Exec, EndsWithItsTimeOrItsCaller) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed late = shell("echo some; sleep 4713", Millis(300));
  EXPECT_EQ(late.result.status, SandboxStatus::kTimeout);
  EXPECT_EQ(late.result.rc, 124);
  auto command = begin({"sh", "-c",
                        "trap 'echo saved; exit 4' TERM; echo up; while :; do sleep "
                        "0.02; done"});
  ASSERT_TRUE(command.ok());
  Executed done;
  ASSERT_TRUE(follow(*command, done, "up"));
  command->kill();  // which must not end the run
  ASSERT_TRUE(follow(*command, done));
  EXPECT_EQ(done.result.status, SandboxStatus::kCanceled);
  EXPECT_THAT(done.out, HasSubstr("saved"));
  {
    auto unread = begin({"sh", "-c", "sleep 4713"});
    ASSERT_TRUE(unread.ok());
  }
  EXPECT_TRUE(no_sleep_is_left("4713"));
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
}

// Init stands still, as the disk watch lets it, and hears of the command when that is given up.
TEST_P(Exec, DoesNotBeginOnceItIsGivenUp) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  const auto init = run.sandbox_pid();
  ASSERT_TRUE(init);
  ASSERT_EQ(kill(static_cast<pid_t>(*init), SIGSTOP), 0);
  auto command = begin({"touch", "begun"});
  ASSERT_TRUE(command.ok());
  command->end();
  Executed done;
  ASSERT_TRUE(follow(*command, done));
  EXPECT_EQ(done.result.status, SandboxStatus::kCanceled) << done.result.reason;
  ASSERT_EQ(kill(static_cast<pid_t>(*init), SIGCONT), 0);
  EXPECT_EQ(shell("echo here").out, "here\n");
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
  EXPECT_FALSE(os::exists(workspace() + "/begun"));
}

TEST_P(Exec, AreFewAtOnce) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  std::vector<AttachedLaunch> all;
  for (int i = 0; i < contracts::run_exec::kMostAtOnce; ++i) {
    auto command = begin({"sh", "-c", "echo up; sleep 100"});
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
                                 "    if os.fork() == 0: time.sleep(100)\n"
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
                    "    if os.fork() == 0: time.sleep(300)\n"
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
  const Executed done = execute({"unshare", "-U", "true"}, Millis(100'000), "nested");
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

// The two are domains of their own to Landlock, and a keeper is in neither.
TEST_P(Exec, AndTheRunCannotEndEachOther) {
  if (kernel_version() < std::pair(6, 12)) GTEST_SKIP() << "Landlock scopes no signals here";
  const std::string kill_all =
      "for p in /proc/[0-9]*; do n=${p#/proc/}; [ $n -ne $$ ] && kill -9 $n; done 2>/dev/null";
  Launched run =
      start(open_run("echo READY; while [ ! -e go ]; do " + kill_all + "; done; echo DONE"));
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed done = shell(kill_all + "; sleep 0.5; echo survived");
  EXPECT_EQ(done.out, "survived\n");
  EXPECT_EQ(done.result.status, SandboxStatus::kOk) << done.result.reason;
  allow();
  const Finished ended = run.wait();
  EXPECT_EQ(ended.result->status, SandboxStatus::kOk);
  EXPECT_EQ(ended.out, "READY\nDONE\n");
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

// The socket is a way in for the agent alone, and takes nothing else.
TEST_P(Exec, TakesNoOtherOrder) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  struct stat file {};
  ASSERT_EQ(stat(exec_socket().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0600u);
  const auto client = os::connect_packets(exec_socket());
  ASSERT_TRUE(client.ok() && os::send_packet(client->get(), "paddock launch 1").ok());
  const auto answer = os::receive_packet(client->get());
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer->bytes, HasSubstr("BAD_ORDER"));
  // A file, or a folder of the host, is no input.
  for (const char* input : {"/etc/passwd", "/"}) {
    const auto order = os::file_in_memory("{}");
    const os::Fd third(open(input, O_RDONLY | O_CLOEXEC));
    const std::array<int, 3> fds = {order->get(), order->get(), third.get()};
    const auto other = os::connect_packets(exec_socket());
    ASSERT_TRUE(other.ok() && os::send_packet(other->get(), contracts::kExecOrder, fds).ok());
    EXPECT_THAT(os::receive_packet(other->get())->bytes, HasSubstr("BAD_ORDER")) << input;
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
