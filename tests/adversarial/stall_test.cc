// Holding up whoever looks at a run does not hold up its end.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "common/os/fd.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using wire::Quantity;

constexpr Millis kWallTime{3000};

class Stall : public SandboxTest {
 protected:
  contracts::LaunchRequest timed(std::vector<std::string> command) const {
    contracts::LaunchRequest out = request(std::move(command));
    out.policy.limits.wall_time = wire::Duration{kWallTime};
    out.policy.limits.address_space = Quantity{int64_t{1} << 40};
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(, Stall, testing::Values(As::kRoot, As::kUser), name_of);

// Beside a run that does nothing but compute, on the same machine at the same time: whatever makes
// that one late may make this one late too.
// proves: WSM-16, VLT-44
TEST_P(Stall, OfTheSupervisorPutsOffNoLimit) {
  contracts::LaunchRequest hostile = timed(probe("stall", {"60", "12", "4"}));
  hostile.policy.limits.memory = Quantity{256 * kMiB};
  // Where nothing but the address space bounds the memory, that would be all there is.
  if (!as_root()) hostile.policy.limits.memory.reset();
  Launched computes = start(timed(probe("consume", {"threads"})));
  Launched stalls = start(hostile);
  const Finished honest = computes.wait();
  const Finished done = stalls.wait();
  ASSERT_TRUE(honest.result && done.result);
  EXPECT_EQ(honest.result->status, SandboxStatus::kTimeout) << honest.result->reason;
  EXPECT_EQ(done.result->status, SandboxStatus::kTimeout) << done.result->reason;
  constexpr int64_t kOfAMachineFourTimesOverloaded = 2000;
  EXPECT_LE(done.result->duration_ms, honest.result->duration_ms + kOfAMachineFourTimesOverloaded);
}

// Some of a thousand messages in one call are looked at, and none of them arrives.
TEST_P(Stall, OfAThousandMessagesTheFirstAreRecorded) {
  const Finished done = python(R"(
import ctypes, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to = ctypes.create_string_buffer(struct.pack('=HHI8x', 2, 0x3500, 0x08080808))
head = struct.pack('=QI4xQQQQI4xI4x', ctypes.addressof(to), 16, 0, 0, 0, 0, 0, 0)
all = ctypes.create_string_buffer(head * 1024)
print(libc.sendmmsg(udp.fileno(), all, 1024, 0), ctypes.get_errno())
)");
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.out, "-1 101\n");  // ENETUNREACH
  EXPECT_FALSE(done.result->denials.empty());
}

// Nobody is left who could learn of it: it ends at once, though it ignores every signal that it
// can.
TEST_P(Stall, OfACallerThatIsGoneThereIsNone) {
  contracts::LaunchRequest launch = request(probe("survivors", {"stay"}));
  launch.env["PADDOCK_MARKER"] = folder();
  launch.cancel_grace_ms = 86'400'000;
  const std::string base = write_request(launch);
  os::Pipe events = os::make_pipe().value();
  fcntl(events.write.get(), F_SETFD, 0);
  const pid_t pid = spawn_launcher(
      {"run", "--request", base + ".request", "--events", cat("fd:", events.write.get())});
  events.write.reset();
  std::string seen;
  char bytes[4096];
  while (seen.find("CONTAINED") == std::string::npos) {
    const ssize_t n = read(events.read.get(), bytes, sizeof bytes);
    ASSERT_GT(n, 0) << seen;
    seen.append(bytes, static_cast<size_t>(n));
  }
  events.read.reset();  // as it is when its owner was killed
  EXPECT_TRUE(gone_with_marker("PADDOCK_MARKER=" + folder()));
  EXPECT_GT(Launched(pid, "").wait_end(), 0) << "its result could be told to nobody";
}

}  // namespace
}  // namespace paddock::adversarial
