// More ways to use up what a host has, or to stay; each ends at its limit, and the host is none the
// worse for it.
#include <signal.h>

#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxStatus;
using testing::HasSubstr;
using wire::Quantity;

class Exhaust : public SandboxTest {
 protected:
  // By the cgroup: ended, and never more than the limit. Without one it was told no.
  void expect_bounded_memory(const std::vector<std::string>& command) {
    LaunchRequest launch = request(command);
    launch.policy.limits.memory = Quantity{64 * kMiB};
    launch.policy.limits.fs_bytes = Quantity{256 * kMiB};
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    if (done.result->usage.peak_memory_bytes) {
      EXPECT_LE(*done.result->usage.peak_memory_bytes, 65 * kMiB);
      EXPECT_NE(done.result->status, SandboxStatus::kTimeout);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, Exhaust, testing::Values(As::kRoot, As::kUser), name_of);

// proves partly: VLT-13, WSM-30
TEST_P(Exhaust, MemoryInFilesThatNobodySeesCounts) {
  LaunchRequest launch = request(probe("memory_files"));
  launch.policy.limits.memory = Quantity{64 * kMiB};
  launch.policy.limits.file_size = Quantity{64 * kMiB};
  for (const char* where : {"memfd", "scratch"}) {
    launch.command =
        probe("memory_files", where == std::string_view("scratch") ? std::vector<std::string>{where}
                                                                   : std::vector<std::string>{});
    launch.policy.limits.fs_bytes = Quantity{48 * kMiB};
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    if (where == std::string_view("scratch")) {
      EXPECT_EQ(done.out, "REFUSED after 48 MiB\n") << done.result->reason;
    } else if (done.result->usage.peak_memory_bytes) {
      EXPECT_EQ(done.result->status, SandboxStatus::kMemLimit) << done.result->reason;
    }
  }
}

TEST_P(Exhaust, SharedMemoryOfSystemVCounts) { expect_bounded_memory(probe("consume", {"sysv"})); }

TEST_P(Exhaust, RoomThatIsReservedCounts) {
  LaunchRequest launch = request(probe("consume", {"reserve"}));
  launch.policy.limits.fs_bytes = Quantity{16 * kMiB};
  launch.policy.limits.file_size = Quantity{64 * kMiB};
  EXPECT_EQ(run(launch).out, cat("WROTE ", 16 * kMiB, " errno 28\n"));
}

TEST_P(Exhaust, MemoryOfTheKernelCounts) { expect_bounded_memory(probe("kernel_memory")); }

// The largest have some 33 KiB, of which a thread can have a few. Where they are counted none is
// for nothing; and none is there once it was ended.
TEST_P(Exhaust, FiltersOfItsOwnCount) {
  LaunchRequest launch = request(probe("own_filters", {"hoard"}));
  launch.policy.limits.memory = Quantity{16 * kMiB};
  launch.policy.limits.pids = 300;
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  if (!done.result->usage.peak_memory_bytes) GTEST_SKIP() << "no cgroup counts memory here";
  if (done.result->status == SandboxStatus::kMemLimit) return;
  ASSERT_THAT(done.out, HasSubstr("FILTERS ")) << done.result->reason;
  const std::string told(trim(done.out.substr(done.out.find("FILTERS ") + 8)));
  EXPECT_LE(parse_integer<int>(told).value_or(100'000), 16 * 32) << done.out;
}

// Counted also where nothing counts memory, and whoever holds them.
TEST_P(Exhaust, FiltersOfItsOwnAreFewAtATime) {
  constexpr int kMost = 256;
  for (const char* how : {"hoard", "hop"}) {
    LaunchRequest launch = request(probe("own_filters", {how}));
    launch.policy.limits.memory = Quantity{512 * kMiB};
    launch.policy.limits.pids = 300;
    launch.policy.limits.wall_time = launch.policy.limits.cpu_time =
        wire::Duration{Millis(600'000)};
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    ASSERT_THAT(done.out, HasSubstr("FILTERS ")) << how << done.result->reason;
    const std::string told(trim(done.out.substr(done.out.find("FILTERS ") + 8)));
    const int filters = parse_integer<int>(told).value_or(100'000);
    EXPECT_LE(filters, kMost) << how;
    EXPECT_GE(filters, kMost / 2) << how;
    ASSERT_FALSE(done.result->denials.empty()) << how;
    EXPECT_EQ(done.result->denials[0].target, "seccomp");
  }
}

TEST_P(Exhaust, FiltersThatEndedWithTheirProcessesDoNotCount) {
  const Finished done = run(probe("own_filters", {"churn"}));
  EXPECT_EQ(done.out, "CHURNED 400 of 400\n") << done.err;
  ASSERT_TRUE(done.result);
  EXPECT_TRUE(done.result->denials.empty());
}

TEST_P(Exhaust, FiltersOfItsOwnHideNothing) {
  const Finished done = expect_contained("own_filters", {"hide"});
  ASSERT_TRUE(done.result);
  int connects = 0;
  for (const contracts::Denial& each : done.result->denials)
    if (each.target.find("192.0.2.1") != std::string::npos)
      connects += static_cast<int>(each.count);
  EXPECT_EQ(connects, 3) << "one by one, whatever the program's own filters say";
}

// What the kernel keeps for a call of poll or select while it waits, it charges to nobody.
TEST_P(Exhaust, DescriptorsThatItsThreadsWaitForAreBounded) {
  constexpr int kMost = 466'000 / 960;
  for (const char* how : {"poll", "select"}) {
    LaunchRequest launch = request(probe("hoard_polls", {how, "490"}));
    launch.policy.limits.pids = 600;
    launch.policy.limits.open_files = 1024;
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.out, cat("WAITED ", kMost, "\nAGAIN ", kMost, "\n")) << how << done.err;
    ASSERT_FALSE(done.result->denials.empty()) << how;
    EXPECT_THAT(done.result->denials[0].rule, HasSubstr("poll and select")) << how;
  }
}

TEST_P(Exhaust, HonestProgramsWaitForThousands) {
  LaunchRequest launch = request(probe("hoard_polls", {"poll", "400"}));
  launch.policy.limits.pids = 600;
  launch.policy.limits.open_files = 1024;
  const Finished done = run(launch);
  EXPECT_EQ(done.out, "WAITED 400\nAGAIN 400\n") << done.err;
  ASSERT_TRUE(done.result);
  EXPECT_TRUE(done.result->denials.empty());
}

TEST_P(Exhaust, HonestProgramsSleepBySelect) {
  LaunchRequest launch = request(probe("hoard_polls", {"sleep", "490"}));
  launch.policy.limits.pids = 600;
  const Finished done = run(launch);
  EXPECT_EQ(done.out, "WAITED 490\n") << done.err;
  ASSERT_TRUE(done.result);
  EXPECT_TRUE(done.result->denials.empty());
}

// The kernel charges it to nobody, and a thread that waits for room in a socket keeps it.
TEST_P(Exhaust, AncillaryDataOfASocketIsBounded) {
  if (kernel_version() < std::pair(6, 8)) GTEST_SKIP() << "one bound holds for the whole host here";
  const Finished done = python(R"(
import array, socket
one, other = socket.socketpair()
try: print('taken', one.sendmsg([b'x'], [(99, 1, b'x' * 100_000)]))
except OSError as error: print(error.errno)
one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0] * 253))])
print(len(other.recvmsg(1, 4096)[1][0][2]) // 4)
)");
  EXPECT_EQ(done.out, "105\n253\n") << done.err;  // ENOBUFS
}

// What waits in sockets of its own loopback device is the run's memory too, where there is a
// cgroup.
TEST_P(Exhaust, BuffersOfItsOwnConnectionsCount) {
  LaunchRequest launch = request(probe("hoard_sockets"));
  launch.policy.limits.memory = Quantity{64 * kMiB};
  launch.policy.limits.open_files = 1000;
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  if (!done.result->usage.peak_memory_bytes) GTEST_SKIP() << "no cgroup counts memory here";
  if (done.result->status == SandboxStatus::kMemLimit) return;
  ASSERT_THAT(done.out, HasSubstr("HELD ")) << done.result->reason;
  EXPECT_LE(parse_integer<int>(trim(done.out.substr(5))).value_or(1000), 64) << done.out;
}

TEST_P(Exhaust, FoldersInScratchSpaceAreCountedHoweverDeep) {
  LaunchRequest launch = request(probe("deep_scratch"));
  launch.policy.limits.file_count = 1000;
  const Finished done = run(launch);
  EXPECT_THAT(done.out, testing::AnyOf(HasSubstr("DEPTH 999 errno 28"), HasSubstr("DEPTH 1000 ")));
}

TEST_P(Exhaust, NobodyGoesFirst) { expect_contained("priority"); }
TEST_P(Exhaust, NobodyLeavesItsCgroup) { expect_contained("cgroup_view"); }
TEST_P(Exhaust, AProgramFromMemoryIsAsConfined) { expect_contained("memfd_exec"); }

// proves partly: VLT-92
TEST_P(Exhaust, SingleBytesAreKeptToTheCapAndTheWriterIsKilled) {
  LaunchRequest launch = request(probe("trickle"));
  launch.policy.limits.stdout_bytes = Quantity{2999};
  launch.policy.limits.stderr_bytes = Quantity{3000};
  const Finished done = cancel_at(launch, "[TRUNCATED at 2999 bytes]\n");
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.out.substr(0, 7), std::string("a\0\xc3\x28\xff\n\x1b", 7));
  const size_t counted = done.out.find(" bytes are left out here]\n");
  ASSERT_NE(counted, std::string::npos);
  const size_t line = done.out.rfind('[', counted);
  EXPECT_THAT(done.out.substr(0, line), testing::EndsWith("\n[TRUNCATED at 2999 bytes]\n"));
  const auto left_out = std::stoll(done.out.substr(line + 1, counted - line - 1));
  EXPECT_EQ(left_out + 2999, done.result->usage.stdout_bytes);
  EXPECT_EQ(done.out.size(), 2999 + std::string("\n[TRUNCATED at 2999 bytes]\n").size() +
                                 cat("[", left_out, " bytes are left out here]\n").size());
  EXPECT_EQ(done.err.size(), 3000U);
  EXPECT_TRUE(done.result->truncated.out);
  EXPECT_FALSE(done.result->truncated.err);
}

// proves: WSM-17
TEST_P(Exhaust, WhoEvadesBeingKilledIsKilled) {
  LaunchRequest launch = request(probe("kill_evade"));
  launch.env["EVADER"] = folder();
  const Finished done = cancel_at(launch, "READY");
  EXPECT_THAT(done.out, HasSubstr("CONTAINED"));
  EXPECT_TRUE(gone_with_marker("EVADER=" + folder()));
}

TEST_P(Exhaust, WhoEvadesBeingKilledIsKilledWhenItsTimeIsUp) {
  LaunchRequest launch = request(probe("kill_evade"));
  launch.env["EVADER"] = folder();
  const Finished done = run_out_of_time(launch, Millis(1500), [](const std::string& out) {
    return out.find("READY") != std::string::npos;
  });
  ASSERT_TRUE(done.result);
  EXPECT_TRUE(gone_with_marker("EVADER=" + folder()));
  EXPECT_THAT(done.out, HasSubstr("CONTAINED"));
  EXPECT_THAT(done.out, HasSubstr("READY"));
}

// proves: ELV-65, WSM-13, WSM-41
TEST_P(Exhaust, NeighboursLeaveEachOtherNoSign) {
  Launched one = start(request(probe("neighbour", {"leave"})));
  ASSERT_TRUE(one.wait_for_output("READY"));
  expect_contained("neighbour");
  kill(one.pid(), SIGTERM);
  EXPECT_EQ(one.wait().result.value().status, SandboxStatus::kCanceled);
  expect_contained("neighbour");
}

}  // namespace
}  // namespace paddock::adversarial
