// What ordinary programs ask of the machine that they run on: how many processors, how much memory,
// terminals, their own streams by name, a locale. In every profile, whoever makes the view.
#include "common/contracts/profile.h"
#include "common/os/file.h"
#include "tests/adversarial/attached_run_fixture.h"
#include "tests/adversarial/degraded_host.h"

namespace paddock::adversarial {
namespace {

using testing::HasSubstr;
using wire::Quantity;

std::string boot_id() {
  const auto text = os::read_file("/proc/sys/kernel/random/boot_id");
  return text.ok() ? std::string(trim(*text)) : "";
}

class Share : public SandboxTest {
 protected:
  // The profile as it is, but for time: a loaded machine must not decide a test.
  contracts::LaunchRequest in_profile(const std::string& name,
                                      std::vector<std::string> command) const {
    const contracts::Profile& profile = contracts::builtin_profiles().at(name);
    contracts::LaunchRequest launch = request(std::move(command));
    const auto time = launch.policy.limits;
    launch.policy = profile.policy;
    launch.env = profile.environment;
    launch.policy.limits.wall_time = time.wall_time;
    launch.policy.limits.cpu_time = time.cpu_time;
    return launch;
  }
  void expect_own_share_in_every_profile() {
    for (const std::string& profile : contracts::profile_names()) {
      contracts::LaunchRequest launch = in_profile(profile, {});
      const int64_t memory = launch.policy.limits.memory->bytes >> 10;
      launch.command = probe("machine", {cat(memory), boot_id()});
      const Finished done = run(launch);
      ASSERT_TRUE(done.result) << profile;
      EXPECT_EQ(done.out, "CONTAINED\n") << profile << ": " << done.result->reason << done.err;
    }
  }
  void expect_streams_in_every_profile() {
    for (const std::string& profile : contracts::profile_names()) {
      const Finished done = run(in_profile(
          profile, {"sh", "-c",
                    "set -e; echo a > /dev/stdout; echo b > /dev/fd/1; echo c > /proc/self/fd/1\n"
                    "echo e > /dev/stderr; cat /dev/stdin; echo d | tee /dev/stderr"}));
      ASSERT_TRUE(done.result) << profile;
      EXPECT_EQ(done.out, "a\nb\nc\nd\n") << profile << ": " << done.result->reason << done.err;
      EXPECT_EQ(done.err, "e\nd\n") << profile;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, Share, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Share, IsWhatTheMachinesFilesTellOfAndNothingElse) { expect_own_share_in_every_profile(); }
TEST_P(Share, OfTerminalsIsItsOwn) { expect_contained("terminals"); }
TEST_P(Share, OfStreamsCanBeOpenedByName) { expect_streams_in_every_profile(); }

TEST_P(Share, IsTheSameInAViewThatTheChildMakesItself) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's child always makes it";
  in_launcher_ = claim_old_kernel;
  expect_own_share_in_every_profile();
  expect_contained("terminals");
  expect_contained("proc_files");
  expect_streams_in_every_profile();
}

// What reads there takes its own output away, and the run ends all the same.
TEST_P(Share, OfStreamsHeldOpenDoesNotKeepTheRun) {
  const Finished done =
      run({"sh", "-c", "echo kept; exec 9<>/dev/stdout 8<>/dev/stderr; sleep 1000 & exit 3"});
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->rc, 3) << done.result->reason;
}

TEST_P(Share, OfProcessorsIsTheAllotment) {
  contracts::LaunchRequest launch = request(
      {"sh", "-c", "nproc; grep -c ^processor /proc/cpuinfo; cat /sys/devices/system/cpu/online"});
  launch.cpus = 1;
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_THAT(done.out, testing::StartsWith("1\n1\n")) << done.err;
}

// proves: ORB-62
TEST_P(Share, OfLocalesIsTheOneThatTheEnvironmentNames) {
  for (const std::string& profile : contracts::profile_names()) {
    if (profile == "snippet") continue;  // it names none
    const Finished done = run(in_profile(
        profile,
        {"python3", "-c", "import locale; locale.setlocale(locale.LC_ALL, ''); print(len('é'))"}));
    ASSERT_TRUE(done.result) << profile;
    EXPECT_EQ(done.out, "1\n") << profile << done.err;
  }
}

// proves partly: ORB-117
TEST_P(Share, OfTheAddressSpaceIsAll) {
  for (const char* profile : {"compute", "command", "code", "test", "session", "agent"}) {
    contracts::LaunchRequest launch = in_profile(
        profile, {"python3", "-c", "import mmap; print(len(mmap.mmap(-1, 16 << 30, 0x4002, 1)))"});
    launch.policy.limits.memory = Quantity{256 * kMiB};
    const Finished done = run(launch);
    ASSERT_TRUE(done.result) << profile;
    EXPECT_EQ(done.out, "17179869184\n") << profile << done.result->reason << done.err;
  }
}

TEST_P(Share, OfTheAddressSpaceIsNamedWhereItWasMet) {
  contracts::LaunchRequest launch = request({"python3", "-c", "x = bytearray(1 << 30)"});
  launch.policy.limits.address_space = Quantity{256 * kMiB};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->rc, 1);
  EXPECT_THAT(done.result->reason, HasSubstr("limited to 256Mi (limits.addressSpace)")) << done.err;
}

// Those that this host has. What one of them complains of is no failure of it, and yet is printed.
TEST_P(Share, IsFoundByOrdinaryPrograms) {
  const char* script = R"(
try() {
  command -v "$1" > /dev/null || return 0
  said=$("$@" 2>&1 > /dev/null) && [ -z "$said" ] || echo "$1: $said"
}
try free -b; try ps aux; try uptime; try lscpu; try nproc; try locale; try perl -e 1
try node -e 'if (require("os").cpus().length < 1) throw 1; new WebAssembly.Memory({initial: 1})'
try python3 -c 'import os, pty; pty.openpty(); os.cpu_count()'
try script -qc tty /dev/null; try Rscript -e 1; try java -Xmx64m --version
[ ! -e /usr/bin/convert-im6.q16 ] || try convert -version
echo end
)";
  for (const char* profile : {"command", "compute", "session"}) {
    contracts::LaunchRequest launch = in_profile(profile, {"bash", "-c", script});
    launch.policy.limits.memory = Quantity{1024 * kMiB};
    const Finished done = run(launch);
    ASSERT_TRUE(done.result) << profile;
    EXPECT_EQ(done.out, "end\n") << profile << done.result->reason << done.err;
  }
}

class ServedShare : public AttachedRun {};
INSTANTIATE_TEST_SUITE_P(, ServedShare, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(ServedShare, IsThatOfTheRequestAndNotOfTheSandboxThatWaited) {
  for (const int64_t memory : {64 * kMiB, 128 * kMiB}) {
    auto launch = request(probe("machine", {cat(memory >> 10), boot_id()}));
    launch.policy.limits.memory = Quantity{memory};
    launch.cpus = 1;
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.out, "CONTAINED\n") << done.result->reason << done.err;
  }
}
TEST_P(ServedShare, OfTerminalsIsItsOwn) { expect_contained("terminals"); }
TEST_P(ServedShare, OpensNothingElseInProc) { expect_contained("proc_files"); }

}  // namespace
}  // namespace paddock::adversarial
