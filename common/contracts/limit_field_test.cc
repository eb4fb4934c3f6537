#include "common/contracts/limit_field.h"

#include <utility>

#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

SandboxResult ended_by(SandboxStatus status, const std::string& code = "") {
  SandboxResult result;
  result.status = status;
  result.code = code;
  return result;
}

TEST(LimitField, IsTheOneThatEndedTheRun) {
  using S = SandboxStatus;
  EXPECT_EQ(limit_that_ended(ended_by(S::kTimeout)), "wallTime");
  EXPECT_EQ(limit_that_ended(ended_by(S::kCpuLimit)), "cpuTime");
  EXPECT_EQ(limit_that_ended(ended_by(S::kMemLimit)), "memory");
  EXPECT_EQ(limit_that_ended(ended_by(S::kLimitExceeded, "E_LIMIT_PIDS")), "pids");
  EXPECT_EQ(limit_that_ended(ended_by(S::kLimitExceeded, "E_LIMIT_FILES")), "fileCount");
  EXPECT_EQ(limit_that_ended(ended_by(S::kLimitExceeded, "E_LIMIT_FS")), "fsBytes");
  EXPECT_EQ(limit_that_ended(ended_by(S::kLimitExceeded, "E_NEW")), "");
  EXPECT_EQ(limit_that_ended(ended_by(S::kFailed, "E_LIMIT_PIDS")), "");
  SandboxResult named = ended_by(S::kLimitExceeded, "E_LIMIT_FS");
  named.limit = kFileSize;
  EXPECT_EQ(limit_that_ended(named), "fileSize");
  named.limit = "no limit\n";
  EXPECT_EQ(limit_that_ended(named), "fsBytes");
}

SandboxResult complaining(const std::string& err, const std::string& out = "") {
  SandboxResult result = ended_by(SandboxStatus::kFailed);
  SandboxLimits& limits = result.policy.emplace().limits;
  limits.memory = wire::Quantity{int64_t{8} << 30};
  limits.pids = 64;
  limits.open_files = 50;
  limits.file_size = wire::Quantity{1 << 20};
  limits.fs_bytes = wire::Quantity{1 << 30};
  result.err = err;
  result.out = out;
  return result;
}
using Fields = std::vector<std::string_view>;

// proves partly: ORB-117
TEST(LimitField, IsWhatAFailedCommandComplainsOfWhereNobodyCounts) {
  const SandboxResult many = complaining("OSError: [Errno 24] Too many open files: '/dev/null'");
  EXPECT_EQ(limits_complained_of(many), Fields{"openFiles"});
  EXPECT_EQ(complaints_text(many),
            "it complains of open files, and what each process may have open is limited to 50 "
            "(limits.openFiles)");
  EXPECT_EQ(limits_complained_of(complaining("OSError: [Errno 27] File too large")),
            Fields{"fileSize"});
  EXPECT_EQ(limits_complained_of(complaining("", "E   EMFILE, ENOSPC")),
            (Fields{"openFiles", "fsBytes"}));
  EXPECT_EQ(limits_complained_of(complaining("ValueError")), Fields{});
  SandboxResult well = many;
  well.status = SandboxStatus::kOk;
  EXPECT_EQ(limits_complained_of(well), Fields{});
  SandboxResult unlimited = many;
  unlimited.policy->limits.open_files.reset();
  EXPECT_EQ(limits_complained_of(unlimited), Fields{});
}

// On a host without a cgroup nobody counts memory; and what is said of a thread tells not which of
// the two limits it met.
TEST(LimitField, OfAddressesIsWhatRuntimesComplainOf) {
  const auto of_addresses = [](const std::string& err) {
    SandboxResult result = complaining(err);
    result.enforced["memory"].mechanism = "RLIMIT_DATA";
    result.enforced["pids"].mechanism = "RLIMIT_NPROC";
    return limits_complained_of(result);
  };
  EXPECT_EQ(of_addresses("# Fatal process OOM in Failed to reserve virtual memory for CodeRange"),
            Fields{"memory"});
  EXPECT_EQ(of_addresses("Failed to start thread \"G1 Service\" - pthread_create failed (EAGAIN)"),
            (Fields{"memory", "pids"}));
  EXPECT_EQ(of_addresses("RuntimeError: can't start new thread"), (Fields{"memory", "pids"}));
  EXPECT_EQ(of_addresses("bash: fork: Resource temporarily unavailable"), Fields{"pids"});
  EXPECT_EQ(limits_complained_of(complaining("pthread_create failed")), Fields{});
}

// Long before its log is, the part of it that a result repeats is cut.
TEST(LimitField, OfOutputIsMetWhereMoreWasWrittenThanTheLogKeeps) {
  SandboxResult result = ended_by(SandboxStatus::kOk, "");
  SandboxLimits& limits = result.policy.emplace().limits;
  limits.stdout_bytes = limits.stderr_bytes = wire::Quantity{100'000};
  result.truncated = {true, true};
  result.usage.stdout_bytes = result.usage.stderr_bytes = 100'000;
  EXPECT_EQ(limits_outlived(result), Fields{});
  result.usage.stderr_bytes = 100'001;
  EXPECT_EQ(limits_outlived(result), Fields{"stderr"});
  result.usage.stdout_bytes = 100'001;
  EXPECT_EQ(limits_outlived(result), (Fields{"stdout", "stderr"}));
}

TEST(LimitField, OfOutputIsKnownByTheCodeWhereNoPolicyIs) {
  SandboxResult result = ended_by(SandboxStatus::kFailed, "E_LIMIT_OUTPUT");
  result.truncated = {false, true};
  EXPECT_EQ(limits_outlived(result), Fields{"stderr"});
}

TEST(LimitField, OfScratchSpaceIsToldOfARunThatEndedWellToo) {
  SandboxResult full = ended_by(SandboxStatus::kOk, "E_LIMIT_FS");
  full.policy.emplace().limits.stdout_bytes = wire::Quantity{1000};
  full.usage.stdout_bytes = 1001;
  EXPECT_EQ(limit_that_ended(full), "");
  EXPECT_EQ(limits_outlived(full), (Fields{"fsBytes", "stdout"}));
  EXPECT_EQ(limits_outlived(ended_by(SandboxStatus::kLimitExceeded, "E_LIMIT_FS")), Fields{});
  SandboxResult cleared = complaining("sort: write failed: /tmp/x: No space left on device");
  cleared.status = SandboxStatus::kOk;
  EXPECT_EQ(limits_complained_of(cleared), Fields{"fsBytes"});
  cleared.out = std::exchange(cleared.err, "");
  EXPECT_EQ(limits_complained_of(cleared), Fields{}) << "its data may be about anything";
}

// A cgroup tells of both by itself.
TEST(LimitField, OfMemoryAndProcessesIsComplainedOfWhereNoCgroupCounts) {
  SandboxResult result = complaining("RangeError: Out Of Memory\nbash: fork: retry");
  EXPECT_EQ(limits_complained_of(result), Fields{});
  result.enforced["memory"].mechanism = "RLIMIT_DATA";
  result.enforced["pids"].mechanism = "RLIMIT_NPROC";
  EXPECT_EQ(limits_complained_of(result), (Fields{"memory", "pids"}));
  result.policy->limits.address_space = wire::Quantity{int64_t{4} << 30};
  EXPECT_EQ(limits_complained_of(result), (Fields{"addressSpace", "pids"})) << "met first";
  result.policy->limits.address_space = wire::Quantity{int64_t{16} << 30};
  EXPECT_EQ(limits_complained_of(result), (Fields{"addressSpace", "memory", "pids"}))
      << "a program may reserve what it never fills";
}

// No size of theirs would do: it is the host that has to be another one.
TEST(LimitField, OfMemoryIsSaidToBeNoPlaceForSanitizersWhereNoCgroupCounts) {
  SandboxResult result = complaining(
      "==8==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 (15392894357504) bytes at "
      "address 2008fff7000 (errno: 12)");
  EXPECT_EQ(complaints_text(result), "") << "a cgroup counts what is filled";
  result.enforced["memory"].mechanism = "RLIMIT_DATA";
  EXPECT_EQ(complaints_text(result),
            "it complains of memory, and the private memory of each process is limited to 8Gi "
            "(limits.memory); sanitizers reserve terabytes, which only a host that limits runs by "
            "a cgroup allows");
  EXPECT_EQ(limits_complained_of(result), Fields{}) << "none that is worth raising";
}

TEST(LimitField, HasTheValueThatItHad) {
  SandboxLimits limits;
  limits.memory = wire::Quantity{int64_t{8} << 30};
  limits.wall_time = wire::Duration{Millis(90'000)};
  limits.pids = 64;
  EXPECT_EQ(limit_text(limits, "memory"), "8Gi");
  EXPECT_EQ(limit_text(limits, "wallTime"), "1m30s");
  EXPECT_EQ(limit_text(limits, "pids"), "64");
  EXPECT_EQ(limit_text(limits, "fsBytes"), "");
  EXPECT_EQ(limit_text(limits, "nothing"), "");
  for (const auto& [bytes, text] :
       {std::pair{int64_t{1'000'000'000}, "1G"}, std::pair{int64_t{2'500'000}, "2500k"},
        std::pair{int64_t{30'000'000}, "30M"}, std::pair{int64_t{1'000'001}, "1000001"},
        std::pair{int64_t{1'024'000}, "1000Ki"}, std::pair{int64_t{0}, "0"}}) {
    limits.fs_bytes = wire::Quantity{bytes};
    EXPECT_EQ(limit_text(limits, "fsBytes"), text);
  }
}

}  // namespace
}  // namespace paddock::contracts
