// Using up what there is: the limit holds, and the result names it.
#include <cstdlib>
#include <thread>

#include "common/wire/json.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;
using testing::HasSubstr;
using wire::Quantity;

class Limits : public SandboxTest {
 protected:
  bool by_cgroup(const SandboxResult& result, const char* name) {
    return result.enforced.at(name).mechanism.find("cgroup") != std::string::npos;
  }
};
INSTANTIATE_TEST_SUITE_P(, Limits, testing::Values(As::kRoot, As::kUser), name_of);

// proves: VLT-46, ORB-117, ORB-129
TEST_P(Limits, EndsAMemoryHog) {
  contracts::LaunchRequest launch = request(probe("consume", {"memory"}));
  launch.policy.limits.memory = Quantity{64 * kMiB};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  if (!by_cgroup(*done.result, "memory")) {
    EXPECT_EQ(done.out, "REFUSED\n");  // its private memory is bounded: the program is told no
    return;
  }
  EXPECT_EQ(done.result->status, SandboxStatus::kMemLimit) << done.result->reason;
  EXPECT_EQ(done.result->rc, 137);
  EXPECT_EQ(done.result->code, "E_LIMIT_MEMORY");
  EXPECT_LE(done.result->usage.peak_memory_bytes.value_or(0), 65 * kMiB);
}

TEST_P(Limits, CountsSharedMemoryToo) {
  contracts::LaunchRequest launch = request(probe("consume", {"shared"}));
  launch.policy.limits.memory = Quantity{64 * kMiB};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kMemLimit) << done.result->reason;
}

// proves: VLT-45
TEST_P(Limits, EndsACpuHogThatIgnoresTheSignal) {
  contracts::LaunchRequest launch = request(probe("consume", {"cpu"}));
  launch.policy.limits.cpu_time = wire::Duration{Millis(1000)};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kCpuLimit) << done.result->reason;
  EXPECT_EQ(done.result->rc, 152);
  EXPECT_GE(done.result->usage.cpu_ms, 900);
}

TEST_P(Limits, CountsTheCpuTimeOfAllThreadsTogether) {
  contracts::LaunchRequest launch = request(probe("consume", {"threads"}));
  launch.policy.limits.cpu_time = wire::Duration{Millis(1000)};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kCpuLimit) << done.result->reason;
}

// Its threads are more than its cores, and would take all that there are.
// proves partly: VLT-84
TEST_P(Limits, HoldsARunToTheCoresThatItAskedFor) {
  contracts::LaunchRequest launch = request(probe("consume", {"threads"}));
  launch.policy.limits.cpu_time = wire::Duration{Millis(2000)};
  launch.cpus = 1;
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kCpuLimit) << done.result->reason;
  const contracts::Enforcement& cpus = done.result->enforced.at("cpus");
  EXPECT_EQ(wire::to_json(cpus.requested), "1");
  if (cpus.level == contracts::EnforcementLevel::kNone) {
    EXPECT_FALSE(cpus.applied);
    EXPECT_NE(cpus.details, "");
    GTEST_SKIP() << cpus.details;
  }
  EXPECT_TRUE(cpus.applied);
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor bounds it by itself";
  // Two processors would give it twice its time; what was spent before it started counts too.
  EXPECT_LE(done.result->usage.cpu_ms, done.result->duration_ms * 3 / 2);
}

// Nor does it see where on the host it is held.
TEST_P(Limits, HideTheirCgroup) {
  contracts::LaunchRequest launch = request(probe("cgroup_view"));
  launch.cpus = 1;
  const Finished done = run(launch);
  EXPECT_EQ(done.result.value().status, SandboxStatus::kOk) << done.out;
  EXPECT_THAT(done.out, testing::Not(HasSubstr("BREACH")));
}

// proves: ORB-119, VLT-40, ORB-129
TEST_P(Limits, StopsAForkStormAtExactlyItsLimitAndKillsAllOfIt) {
  contracts::LaunchRequest launch = request(probe("fork_storm"));
  launch.policy.limits.pids = 32;
  const Finished done = run_out_of_time(launch, Millis(2000), [](const std::string& out) {
    return out.find("ALIVE") != std::string::npos;
  });
  ASSERT_TRUE(done.result);
  EXPECT_THAT(done.out, HasSubstr("ALIVE 32\n"));
}

TEST_P(Limits, BoundsScratchSpaceInBytesAndFiles) {
  contracts::LaunchRequest launch = request(probe("consume", {"scratch"}));
  launch.policy.limits.fs_bytes = Quantity{4 * kMiB};
  EXPECT_THAT(run(launch).out, HasSubstr("WROTE 4194304 errno 28"));
  launch.command = probe("consume", {"shm"});
  EXPECT_THAT(run(launch).out, HasSubstr("WROTE 4194304 errno 28"));
  launch.policy.limits.file_count = 100;
  launch.command = probe("consume", {"inodes"});
  const Finished done = run(launch);
  EXPECT_THAT(done.out, HasSubstr("errno 28"));
  EXPECT_THAT(done.out, testing::AnyOf(HasSubstr("MADE 99 "), HasSubstr("MADE 100 "))) << done.out;
}

// proves: ORB-118
TEST_P(Limits, BoundsTheSizeOfOneFile) {
  contracts::LaunchRequest launch = request(probe("consume", {"file"}));
  launch.policy.limits.file_size = Quantity{2 * kMiB};
  EXPECT_THAT(run(launch).out, HasSubstr("WROTE 2097152 errno 27"));
  launch.command = probe("consume", {"file-signal"});
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kLimitExceeded);
  EXPECT_EQ(done.result->code, "E_LIMIT_FS");
}

// As where a service manager starts the agent with LimitFSIZE=. The command itself has the kernel's
// default for that signal, or it would not end at a limit of its own.
TEST_P(Limits, OfTheLaunchersFilesCostOutputAndNeverTheResult) {
  in_launcher_ = [] {
    const rlimit limit{8 * kMiB, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  contracts::LaunchRequest launch = request(probe("consume", {"flood"}));
  launch.policy.limits.stdout_bytes = Quantity{64 * kMiB};
  launch.policy.limits.stderr_bytes = Quantity{64 * kMiB};
  const Finished flooded = run(launch);
  ASSERT_TRUE(flooded.result);
  EXPECT_EQ(flooded.result->status, SandboxStatus::kOk) << flooded.result->reason;
  EXPECT_EQ(flooded.result->code, "NODE_FILE_LIMIT");
  EXPECT_THAT(flooded.result->reason, HasSubstr("RLIMIT_FSIZE"));
  EXPECT_TRUE(flooded.result->truncated.out);
  EXPECT_THAT(flooded.out, HasSubstr("bytes: the node may make no larger file]"));
  const Finished own = run({"grep", "SigIgn", "/proc/self/status"});
  ASSERT_THAT(own.out, testing::StartsWith("SigIgn:\t"));
  // 32 and 33 are glibc's own: its posix_spawn, as in make, may leave them ignored.
  constexpr uint64_t kOfGlibc = uint64_t{3} << 31;
  EXPECT_EQ(std::strtoull(own.out.c_str() + 8, nullptr, 16) & ~kOfGlibc, 0u) << own.out;
}

// proves: VLT-42, WSM-33, WSM-34
TEST_P(Limits, KeepsExactlyItsCapOfAFlood) {
  contracts::LaunchRequest launch = request(probe("consume", {"flood"}));
  launch.policy.limits.stdout_bytes = Quantity{100'000};
  launch.policy.limits.stderr_bytes = Quantity{1000};
  launch.inline_output_bytes = 500;
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
  const auto kept = [](size_t half, const std::string& marker) {
    return std::string(half, '\xff') + marker + std::string(half, '\xff');
  };
  EXPECT_EQ(done.out, kept(50'000,
                           "\n[TRUNCATED at 100000 bytes]\n"
                           "[209615200 bytes are left out here]\n"));
  EXPECT_EQ(done.err, kept(500,
                           "\n[TRUNCATED at 1000 bytes]\n"
                           "[209714200 bytes are left out here]\n"));
  EXPECT_TRUE(done.result->truncated.out);
  EXPECT_TRUE(done.result->truncated.err);
  EXPECT_EQ(done.result->usage.stdout_bytes, 200 * kMiB);
  // It waits for that, at 200 MiB a second, and no processor of the host is kept busy with it.
  EXPECT_GE(done.result->duration_ms, 1500);
}

// As the kernel ends a process for a limit, but by itself.
TEST_P(Limits, TakesNoSignalForALimitThatTheCommandSendsItself) {
  const auto result = [&](const char* script) {
    return run(std::vector<std::string>{"sh", "-c", script}).result.value();
  };
  for (const auto& [script, rc] : {std::pair("kill -XFSZ $$", 153), {"kill -XCPU $$", 152}}) {
    const SandboxResult done = result(script);
    EXPECT_EQ(done.status, SandboxStatus::kFailed) << script;
    EXPECT_EQ(done.rc, rc) << script;
    EXPECT_EQ(done.code, std::nullopt) << script;
    EXPECT_TRUE(done.denials.empty()) << script;
  }
  contracts::LaunchRequest launch = request(
      {"sh", "-c", "exec dd if=/dev/zero of=/workspace/big bs=65536 count=100 2> /dev/null"});
  launch.policy.limits.file_size = Quantity{kMiB};
  EXPECT_EQ(run(launch).result.value().code, "E_LIMIT_FS") << "the kernel's own";
}

// Nor by anything else that has the kernel send it.
TEST_P(Limits, TakesNoSignalForALimitThatTheCommandBringsUponItself) {
  for (const int signal : {SIGXFSZ, SIGXCPU}) {
    for (const char* how : {"timer", "child", "input", "limit"}) {
      const Finished done = run(probe("own_signals", {how, std::to_string(signal)}));
      ASSERT_TRUE(done.result);
      EXPECT_EQ(done.result->status, SandboxStatus::kFailed) << how << done.result->reason;
      EXPECT_EQ(done.result->rc, 128 + signal) << how;
      EXPECT_EQ(done.result->code, std::nullopt) << how;
      EXPECT_TRUE(done.result->denials.empty()) << how;
    }
  }
}

// A timer of another signal hides none, nor does a limit that a program sets to what it is.
TEST_P(Limits, NamesOneThatACommandWithTimersHasMet) {
  for (const char* how : {"met", "raise"}) {
    contracts::LaunchRequest launch = request(probe("own_signals", {how, std::to_string(SIGALRM)}));
    launch.policy.limits.file_size = Quantity{kMiB};
    const SandboxResult done = run(launch).result.value();
    EXPECT_EQ(done.status, SandboxStatus::kLimitExceeded) << how << done.reason;
    EXPECT_EQ(done.code, "E_LIMIT_FS") << how;
  }
}

TEST_P(Limits, DoesNotCallExactlyTheCapTruncated) {
  contracts::LaunchRequest launch = request({"printf", "12345"});
  launch.policy.limits.stdout_bytes = Quantity{5};
  EXPECT_FALSE(run(launch).result.value().truncated.out);
  launch.policy.limits.stdout_bytes = Quantity{4};
  const Finished done = run(launch);
  EXPECT_TRUE(done.result.value().truncated.out);
  EXPECT_EQ(done.out, "12\n[TRUNCATED at 4 bytes]\n[1 bytes are left out here]\n45");
}

// proves: ORB-121, VLT-31
TEST_P(Limits, AreInForceInsideAndCannotBeRaised) {
  contracts::LaunchRequest launch =
      request({"python3", "-c",
               "import resource as r\n"
               "for name in ('NOFILE', 'NPROC', 'FSIZE', 'CORE'):\n"
               "  which = getattr(r, 'RLIMIT_' + name); soft, hard = r.getrlimit(which)\n"
               "  for other in (hard + 1, 0) if name == 'CORE' else (hard + 1,):\n"
               "    try: r.setrlimit(which, (other, other))\n"
               "    except (ValueError, OSError): pass\n"
               "  print(name, *r.getrlimit(which))\n"});
  launch.policy.limits.open_files = 99;
  launch.policy.limits.pids = 17;
  launch.policy.limits.file_size = Quantity{kMiB};
  EXPECT_EQ(run(launch).out, "NOFILE 99 99\nNPROC 17 17\nFSIZE 1048576 1048576\nCORE 1 1\n");
}

// proves: VLT-27, VLT-33, VLT-34
TEST_P(Limits, AreEachReportedWithTheirMechanism) {
  const Finished done = run(std::vector<std::string>{"true"});
  ASSERT_TRUE(done.result);
  for (const char* name :
       {"filesystem", "network", "processes", "privileges", "syscalls", "memory", "pids", "cpuTime",
        "wallTime", "openFiles", "fileSize", "fsBytes", "fileCount", "output", "environment"}) {
    ASSERT_TRUE(done.result->enforced.contains(name)) << name;
    EXPECT_TRUE(done.result->enforced.at(name).applied) << name;
    EXPECT_FALSE(done.result->enforced.at(name).mechanism.empty()) << name;
  }
}

}  // namespace
}  // namespace paddock::adversarial
