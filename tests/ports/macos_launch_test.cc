// The macOS backend as it is, on Linux: only sandbox-exec, the kernel's answer whether a process is
// confined and the group's readings are stand-ins. What the profile denies cannot be tried here.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/contracts/profile.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/macos/backend.h"
#include "tests/support/temp_dir.h"

namespace paddock::sandbox {
namespace {

using contracts::EnforcementLevel;
using contracts::LaunchRequest;
using contracts::SandboxResult;
using contracts::SandboxStatus;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The fields of /proc/N/stat after the name: state, parent, group, …
std::vector<std::string> stat_fields(const std::filesystem::path& process) {
  const auto text = os::read_file(process / "stat");
  const size_t name_end = text.ok() ? text->rfind(") ") : std::string::npos;
  if (name_end == std::string::npos) return {};  // no process, or it is gone
  return split(text->substr(name_end + 2), ' ');
}

GroupUse read_proc(pid_t group) {
  GroupUse out;
  const int64_t tick_ms = 1000 / sysconf(_SC_CLK_TCK);
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::vector<std::string> fields = stat_fields(entry.path());
    if (fields.size() < 22 || fields[2] != cat(group) || fields[0] == "Z") continue;
    ++out.processes;
    out.memory_bytes += parse_integer<int64_t>(fields[21]).value_or(0) * sysconf(_SC_PAGESIZE);
    for (size_t i = 11; i < 15; ++i)
      out.cpu += Millis(parse_integer<int64_t>(fields[i]).value_or(0) * tick_ms);
  }
  return out;
}

bool alive(const std::string& pid) {
  const auto fields = stat_fields(std::filesystem::path("/proc") / pid);
  return !fields.empty() && fields[0] != "Z";
}

std::string slurp(const std::string& path) {
  const auto text = os::read_file(path);
  return text.ok() ? *text : std::string();
}

class MacosLaunch : public testing::Test {
 protected:
  MacosLaunch() {
    const std::string tests = cat(std::getenv("PADDOCK_BIN_DIR"), "/../tests/stand-in/");
    host_.sandbox_exec = tests + "stand_in_sandbox_exec";
    host_.confine = tests + "stand_in_confine";
    host_.runs = dir_ / "runs";
    host_.hard_open_files = host_.hard_file_size = RLIM_INFINITY;
    for (const char* name : {"runs", "work"}) EXPECT_TRUE(os::make_dirs(dir_ / name).ok());
    request_.trace_id = "t";
    request_.workdir = "/workspace";
    request_.mounts = {{dir_ / "work", "/workspace", contracts::MountMode::kReadWrite}};
    request_.env = contracts::minimal_environment(false);
    request_.limit_grace_ms = 20;
    request_.cancel_grace_ms = 20;
  }

  SandboxResult run(const std::string& script) {
    request_.command = {"sh", "-c", script};
    return run();
  }
  SandboxResult run() {
    const std::string path = dir_ / "events";
    EventWriter events(os::Fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)),
                       clock_);
    SandboxResult result = launch_confined(request_, events, clock_, host_, read_proc);
    EXPECT_TRUE(events.write_rest().ok());
    events_ = slurp(path);
    EXPECT_THAT(os::list_dir(host_.runs).value(), IsEmpty()) << "the run's folder is left";
    return result;
  }
  bool ran() const { return os::exists(dir_ / "work/ran"); }

  const test::TempDir dir_;
  const SystemClock clock_;
  SeatbeltHost host_;
  LaunchRequest request_;
  std::string events_;
};

// proves partly: ORB-33
TEST_F(MacosLaunch, RunsTheCommandConfinedAndTellsWhatIsInForce) {
  request_.env["STAND_IN_RECORD"] = "/workspace";  // as it is called inside
  const SandboxResult result = run("pwd; echo $HOME; echo oops >&2; exit 3");
  EXPECT_EQ(result.status, SandboxStatus::kFailed);
  EXPECT_EQ(result.rc, 3);
  EXPECT_EQ(result.out, cat(dir_ / "work", "\n", dir_ / "work", "\n"));
  EXPECT_EQ(result.err, "oops\n");
  EXPECT_THAT(events_, AllOf(HasSubstr("started "), HasSubstr("stdout "), HasSubstr("stderr ")));
  EXPECT_TRUE(result.enforced.at("filesystem").applied);
  EXPECT_EQ(result.enforced.at("network").level, EnforcementLevel::kKernel);
  EXPECT_EQ(result.enforced.at("processes").level, EnforcementLevel::kAdvisory);
  EXPECT_FALSE(result.enforced.at("syscalls").applied);
  EXPECT_THAT(slurp(dir_ / "work/profile.sb"),
              AllOf(HasSubstr("(deny default)"),
                    HasSubstr(cat("(subpath \"", dir_ / "work", "\")")), HasSubstr("/tmp\")")));
}

// proves partly: ORB-02
TEST_F(MacosLaunch, OpensApplesGpuToTheRunThatIsGrantedIt) {
  request_.env["STAND_IN_RECORD"] = "/workspace";
  EXPECT_FALSE(run("true").enforced.contains("devices"));
  EXPECT_THAT(slurp(dir_ / "work/profile.sb"), Not(HasSubstr("iokit")));
  request_.policy.devices = {std::string(contracts::kAppleGpu)};
  const SandboxResult result = run("true");
  ASSERT_EQ(result.status, SandboxStatus::kOk) << result.reason;
  EXPECT_TRUE(result.enforced.at("devices").applied);
  EXPECT_THAT(slurp(dir_ / "work/profile.sb"), HasSubstr("(allow iokit-open\n"));
}

TEST_F(MacosLaunch, GivesTheCommandItsOwnFolderAndThePolicyInForce) {
  request_.policy.limits.open_files = 64;
  const SandboxResult result = run(
      "echo x > $TMPDIR/x && cat $TMPDIR/../policy.json; case $TMPDIR in */tmp) echo own;; esac");
  EXPECT_THAT(result.out, AllOf(HasSubstr("\"openFiles\": 64"), HasSubstr("own\n")));
}

// proves partly: ORB-57
TEST_F(MacosLaunch, GivesExactlyTheEnvironmentDescriptorsAndLimitsAskedFor) {
  const os::Fd leaked(open("/dev/null", O_RDONLY));  // deliberately not close-on-exec
  request_.policy.limits.open_files = 99;
  request_.policy.limits.file_size = wire::Quantity{4096};
  request_.command = {
      "/bin/sh", "-c",
      "tr '\\0' '\\n' < /proc/$$/environ | cut -d= -f1; ulimit -n; "
      "ulimit -f; for fd in 3 4 5 6 7 8 9 $LEAKED; do [ -e /proc/$$/fd/$fd ] && echo "
      "has $fd; done; true"};
  request_.env["LEAKED"] = cat(leaked.get());
  const SandboxResult result = run();
  EXPECT_EQ(result.out, "HOME\nLANG\nLEAKED\nPATH\nPYTHONPATH\nTMPDIR\n99\n8\n");
}

TEST_F(MacosLaunch, TellsAMissingCommandFromOneThatCannotBeExecuted) {
  request_.command = {"no-such-command"};
  EXPECT_EQ(run().rc, 127);
  request_.command = {"/workspace"};
  const SandboxResult folder = run();
  EXPECT_EQ(folder.status, SandboxStatus::kFailed);
  EXPECT_EQ(folder.rc, 126);
  EXPECT_TRUE(folder.out.empty());
}

// proves partly: ORB-33, VLT-78
TEST_F(MacosLaunch, NeverRunsWhatIsNotConfined) {
  for (const char* how : {"refuse", "open"}) {
    request_.env["STAND_IN"] = how;
    const SandboxResult result = run("touch ran");
    EXPECT_EQ(result.status, SandboxStatus::kInternalError) << how;
    EXPECT_THAT(result.reason, HasSubstr("SANDBOX_SETUP_FAILED")) << how;
    EXPECT_FALSE(result.enforced.at("filesystem").applied) << how;
    EXPECT_THAT(events_, Not(HasSubstr("started"))) << how;
  }
  host_.sandbox_exec = "/nonexistent/sandbox-exec";
  const SandboxResult result = run("touch ran");
  EXPECT_EQ(result.status, SandboxStatus::kInternalError);
  EXPECT_THAT(result.reason, HasSubstr("starting sandbox-exec"));
  EXPECT_FALSE(ran());
}

TEST_F(MacosLaunch, KillsTheWholeGroupWhenTimeIsUp) {
  request_.policy.limits.wall_time = wire::Duration{Millis(300)};
  const SandboxResult result = run(
      "trap '' TERM; (trap '' TERM; sleep 300) & echo $!; echo $$; while :; do sleep 300; done");
  EXPECT_EQ(result.status, SandboxStatus::kTimeout);
  const std::vector<std::string> pids = split(result.out, '\n');
  ASSERT_GE(pids.size(), 2U);
  EXPECT_FALSE(alive(pids[0]));
  EXPECT_FALSE(alive(pids[1]));
}

TEST_F(MacosLaunch, KillsWhatTheCommandLeavesBehind) {
  const SandboxResult result = run("sleep 300 & echo $!; kill -STOP $!");
  EXPECT_EQ(result.status, SandboxStatus::kOk);
  EXPECT_FALSE(alive(std::string(trim(result.out))));
}

// Nobody is there to end it but its guard.
TEST_F(MacosLaunch, TheGroupEndsWithItsLauncherWhateverKillsThat) {
  request_.command = {"sh", "-c",
                      "(trap '' TERM; sleep 300) & echo $! $$ >pids.tmp; mv pids.tmp pids; wait"};
  const pid_t launcher = fork();
  ASSERT_GE(launcher, 0);
  if (launcher == 0) {
    EventWriter events(os::Fd(open("/dev/null", O_WRONLY | O_CLOEXEC)), clock_);
    (void)launch_confined(request_, events, clock_, host_, read_proc);
    _exit(0);
  }
  const auto until = clock_.mono() + std::chrono::seconds(60);
  const auto comes = [&](const std::function<bool()>& what) {
    while (!what() && clock_.mono() < until) poll(nullptr, 0, 5);
    return what();
  };
  const std::string file = dir_ / "work/pids";
  ASSERT_TRUE(comes([&] { return os::exists(file); }));
  kill(launcher, SIGKILL);
  ASSERT_EQ(waitpid(launcher, nullptr, 0), launcher);
  for (const std::string& pid : split(trim(slurp(file)), ' '))
    EXPECT_TRUE(comes([&] { return !alive(pid); })) << pid;
}

// proves partly: VLT-29
TEST_F(MacosLaunch, KillsWhatPassesTheMemoryLimit) {
  request_.policy.limits.memory = wire::Quantity{64 << 20};
  const SandboxResult result = run("head -c 400000000 /dev/zero | tail > /dev/null; sleep 300");
  EXPECT_EQ(result.status, SandboxStatus::kMemLimit);
  EXPECT_EQ(result.code, "E_LIMIT_MEMORY");
  EXPECT_THAT(result.reason, HasSubstr("launcher saw it"));
  EXPECT_EQ(result.enforced.at("memory").level, EnforcementLevel::kPolled);
}

// proves partly: VLT-30
TEST_F(MacosLaunch, KillsWhatPassesThePidsLimit) {
  request_.policy.limits.pids = 8;
  const SandboxResult result =
      run("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 300 & done; wait");
  EXPECT_EQ(result.status, SandboxStatus::kLimitExceeded);
  EXPECT_EQ(result.code, "E_LIMIT_PIDS");
  EXPECT_EQ(result.rc, 153);
}

// proves partly: VLT-28
TEST_F(MacosLaunch, EndsWhatUsesUpItsProcessorTime) {
  request_.policy.limits.cpu_time = wire::Duration{Millis(1000)};
  EXPECT_EQ(run("trap '' XCPU; while :; do :; done").status, SandboxStatus::kCpuLimit);
}

// proves partly: VLT-34
TEST_F(MacosLaunch, CutsOutputAtTheExactByte) {
  request_.policy.limits.stdout_bytes = wire::Quantity{1000};
  EXPECT_FALSE(run("head -c 1000 /dev/zero").truncated.out);
  const SandboxResult cut = run("head -c 1001 /dev/zero");
  EXPECT_TRUE(cut.truncated.out);
  EXPECT_EQ(cut.code, "E_LIMIT_OUTPUT");
}

TEST_F(MacosLaunch, TakesAHeldSignalAsACancel) {
  hold_signals();
  raise(SIGTERM);
  EXPECT_EQ(run("touch ran; sleep 300").status, SandboxStatus::kCanceled);
}

TEST_F(MacosLaunch, RefusesWhatMacosCannotKeepAndSaysWhatWouldPass) {
  const auto reason = [&](const std::function<void(LaunchRequest&)>& change) {
    const LaunchRequest before = request_;
    change(request_);
    const SandboxResult result = run("touch ran");
    request_ = before;
    EXPECT_EQ(result.status, SandboxStatus::kInternalError);
    return result.reason;
  };
  EXPECT_THAT(reason([](auto& r) {
                r.policy.network = {true, {"example.org"}};
              }),
              HasSubstr("NETWORK_UNAVAILABLE"));
  EXPECT_THAT(reason([](auto& r) { r.policy.tools = {"sh"}; }), HasSubstr("TOOLS_UNSUPPORTED"));
  EXPECT_THAT(reason([](auto& r) { r.policy.devices = {"/dev/x"}; }),
              HasSubstr("DEVICES_UNSUPPORTED"));
  EXPECT_THAT(reason([](auto& r) { r.policy.limits.fs_bytes = wire::Quantity{1}; }),
              AllOf(HasSubstr("LIMITS_UNENFORCEABLE"), HasSubstr("fsBytes")));
  EXPECT_THAT(reason([](auto& r) { r.mounts[0].host_path = "/nonexistent"; }),
              HasSubstr("MOUNT_NOT_FOUND"));
  EXPECT_THAT(reason([&](auto& r) {
                EXPECT_EQ(symlink("work", (dir_ / "link").c_str()), 0);
                r.policy.host_mounts = {{dir_ / "link", "/data", contracts::MountMode::kReadOnly}};
              }),
              HasSubstr("LINK_IN_MOUNT"));
  host_.root = true;
  EXPECT_THAT(run("touch ran").reason, HasSubstr("LAUNCHER_IS_ROOT"));
  EXPECT_FALSE(ran());
}

TEST_F(MacosLaunch, RunsWithoutSomeLimitsOnlyIfThePolicyAllowsAndSaysSo) {
  request_.policy.limits.fs_bytes = wire::Quantity{1};
  request_.policy.allow_partial = true;
  const SandboxResult result = run("true");
  EXPECT_EQ(result.status, SandboxStatus::kOk);
  EXPECT_EQ(result.reason, "PARTIAL_ENFORCEMENT");
  EXPECT_FALSE(result.enforced.at("fsBytes").applied);
}

}  // namespace
}  // namespace paddock::sandbox
