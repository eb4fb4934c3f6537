// The Windows backend on a host that is a value: what is asked of it is recorded, and it answers as
// Windows would at limits that wine does not keep.
#include "node-agent/sandbox/windows/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

using contracts::EnforcementLevel;
using contracts::FrameType;
using contracts::SandboxResult;
using contracts::SandboxStatus;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class FakeWindows final : public Win32 {
 public:
  explicit FakeWindows(ManualClock& clock) : clock_(clock) {}
  std::string find_program(const std::string& name, const std::string&) override {
    return name == "missing" ? "" : cat("C:\\bin\\", name);
  }
  std::string system_root() override { return "C:\\Windows"; }
  Status make_job(const JobSettings& settings) override {
    calls.emplace_back("make_job");
    job = settings;
    job.flags &= held;
    return {};
  }
  Result<JobSettings> read_job() override { return job; }
  Result<uint32_t> start(const JobProcess& process) override {
    calls.emplace_back("start");
    if (!starts) return Error{Code::kInternal, "SANDBOX_SETUP_FAILED", "CreateProcess failed"};
    started = process;
    return uint32_t{77};
  }
  Status resume() override { return calls.emplace_back("resume"), Status(); }
  bool wait(Millis at_most) override {
    if (ended) return true;
    clock_.advance(at_most);
    if (runs_for <= Millis(0)) return ended = true;
    runs_for -= at_most;
    used.cpu += burns ? at_most : Millis(0);
    return false;
  }
  std::string read_stdout() override { return std::exchange(out, {}); }
  std::string read_stderr() override { return {}; }
  JobEvents events() override { return said; }
  JobUse use() override { return used; }
  void end_job() override {
    if (!ended) code = 137;
    ended = true;
    calls.emplace_back("end_job");
  }
  uint32_t exit_code() override { return code; }
  bool cancel_asked() override { return cancel; }

  std::vector<std::string> calls;
  JobSettings job;
  uint32_t held = ~0U;
  JobProcess started;
  JobEvents said;
  JobUse used;
  Millis runs_for{100};
  std::string out = "hello\n";
  uint32_t code = 0;
  bool starts = true;
  bool burns = false;
  bool cancel = false;
  bool ended = false;

 private:
  ManualClock& clock_;
};

class JobLaunch : public testing::Test {
 protected:
  JobLaunch() {
    request_.command = {"tool.exe", "a b"};
    request_.workdir = "/workspace";
    request_.mounts = {{"D:\\ws", "/workspace", contracts::MountMode::kReadWrite}};
    request_.env = {{"PATH", "C:\\bin"}};
    contracts::SandboxLimits& limits = request_.policy.limits;
    limits.wall_time = limits.cpu_time = wire::Duration{Millis(1000)};
    limits.memory = wire::Quantity{1 << 20};
    limits.pids = 4;
  }
  SandboxResult run(bool open_host = true) {
    const EmitFrame emit = [&](FrameType type, std::string_view) {
      frames_.push_back(type);
      return Status();
    };
    return launch_in_job(request_, emit, clock_, windows_, open_host);
  }

  ManualClock clock_;
  FakeWindows windows_{clock_};
  contracts::LaunchRequest request_;
  std::vector<FrameType> frames_;
};

// proves partly: VLT-77
TEST_F(JobLaunch, StartsTheCommandInsideAJobThatHoldsTheLimits) {
  const SandboxResult result = run();
  EXPECT_EQ(result.status, SandboxStatus::kOk);
  EXPECT_EQ(result.out, "hello\n");
  EXPECT_THAT(windows_.calls, ElementsAre("make_job", "start", "resume", "end_job"));
  EXPECT_EQ(windows_.job.active_processes, 4U);
  EXPECT_EQ(windows_.started.program, "C:\\bin\\tool.exe");
  EXPECT_EQ(windows_.started.command_line, "tool.exe \"a b\"");
  EXPECT_EQ(windows_.started.workdir, "D:\\ws");
  EXPECT_EQ(windows_.started.environment,
            std::string("PATH=C:\\bin\0SystemRoot=C:\\Windows\0\0", 35));
  EXPECT_THAT(frames_, ElementsAre(FrameType::kStarted, FrameType::kStdout));
  EXPECT_TRUE(result.enforced.at("memory").applied);
  EXPECT_FALSE(result.enforced.at("network").applied);
}

TEST_F(JobLaunch, RunsNothingWhereTheHostIsNotAcceptedAsOpen) {
  const SandboxResult result = run(false);
  EXPECT_EQ(result.status, SandboxStatus::kInternalError);
  EXPECT_THAT(result.reason, HasSubstr("WALLS_UNAVAILABLE"));
  EXPECT_THAT(windows_.calls, IsEmpty());
}

TEST_F(JobLaunch, RunsNothingInAJobThatForgetsItsLimits) {
  windows_.held = ~job::kJobMemory;
  const SandboxResult result = run();
  EXPECT_EQ(result.status, SandboxStatus::kInternalError);
  EXPECT_THAT(result.reason, HasSubstr("JOB_LIMIT_NOT_HELD"));
  EXPECT_THAT(windows_.calls, ElementsAre("make_job"));
  EXPECT_FALSE(result.enforced.at("pids").applied);
}

TEST_F(JobLaunch, SaysSoIfThePolicyLetsItRunThere) {
  windows_.held = ~job::kJobMemory;
  request_.policy.allow_partial = true;
  const SandboxResult result = run();
  EXPECT_EQ(result.status, SandboxStatus::kOk);
  EXPECT_EQ(result.reason, "PARTIAL_ENFORCEMENT");
  EXPECT_FALSE(result.enforced.at("memory").applied);
  EXPECT_TRUE(result.enforced.at("pids").applied);
}

TEST_F(JobLaunch, EndsTheWholeJobWhenTimeIsUp) {
  windows_.runs_for = Millis(100'000);
  const SandboxResult result = run();
  EXPECT_EQ(result.status, SandboxStatus::kTimeout);
  EXPECT_EQ(result.rc, 124);
  EXPECT_THAT(windows_.calls, testing::Contains("end_job"));
  EXPECT_LE(result.duration_ms, 1100);
}

// proves partly: VLT-28
TEST_F(JobLaunch, TellsProcessorTimeByTheJobAndByItsOwnCount) {
  request_.policy.limits.wall_time.reset();
  windows_.runs_for = Millis(100'000);
  windows_.burns = true;
  EXPECT_EQ(run().status, SandboxStatus::kCpuLimit);
  windows_.ended = true;
  windows_.used = {};
  windows_.said.time_limit = true;
  windows_.code = 1816;
  EXPECT_EQ(run().status, SandboxStatus::kCpuLimit);
}

// proves: VLT-52
TEST_F(JobLaunch, TellsMemoryByTheJobsMessageOrTheNativeStatus) {
  for (const uint32_t code : {0xC0000017U, 0xC00000A7U, 0xC00000A2U}) {
    windows_.code = code;
    const SandboxResult result = run();
    EXPECT_EQ(result.status, SandboxStatus::kMemLimit);
    EXPECT_EQ(result.code, "E_LIMIT_MEMORY");
    EXPECT_THAT(result.reason, HasSubstr("(0xC0000"));
    windows_.ended = false;
  }
  windows_.code = 1;
  windows_.said.memory_limit = true;
  EXPECT_EQ(run().status, SandboxStatus::kMemLimit);
  windows_.code = 0;  // it met the limit and lived
  EXPECT_EQ(run().status, SandboxStatus::kOk);
}

TEST_F(JobLaunch, TellsTheProcessLimitByTheJobsMessage) {
  windows_.code = 1;
  windows_.said.active_process_limit = true;
  const SandboxResult result = run();
  EXPECT_EQ(result.status, SandboxStatus::kLimitExceeded);
  EXPECT_EQ(result.code, "E_LIMIT_PIDS");
}

TEST_F(JobLaunch, KeepsTheProgramsOwnCodeAndNamesAnException) {
  windows_.code = 5;
  EXPECT_EQ(run().rc, 5);
  windows_.code = 0xC0000005;
  const SandboxResult result = run();
  EXPECT_EQ(result.status, SandboxStatus::kFailed);
  EXPECT_THAT(result.reason, HasSubstr("0xC0000005"));
}

TEST_F(JobLaunch, TellsACancelAMissingCommandAndABatchFile) {
  windows_.cancel = true;
  EXPECT_EQ(run().status, SandboxStatus::kCanceled);
  request_.command = {"missing"};
  EXPECT_EQ(run().rc, 127);
  request_.command = {"x.bat"};
  EXPECT_THAT(run().reason, HasSubstr("BATCH_FILE"));
}

TEST_F(JobLaunch, NeverRunsWhatCouldNotBeStartedInItsJob) {
  windows_.starts = false;
  const SandboxResult result = run();
  EXPECT_EQ(result.status, SandboxStatus::kInternalError);
  EXPECT_THAT(windows_.calls, Not(testing::Contains("resume")));
  EXPECT_THAT(frames_, IsEmpty());
}

TEST_F(JobLaunch, CutsOutputAtTheExactByte) {
  request_.policy.limits.stdout_bytes = wire::Quantity{5};
  const SandboxResult result = run();
  EXPECT_TRUE(result.truncated.out);
  EXPECT_EQ(result.code, "E_LIMIT_OUTPUT");
}

}  // namespace
}  // namespace paddock::sandbox
