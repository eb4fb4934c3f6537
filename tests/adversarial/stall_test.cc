// Holding up whoever looks at a run does not hold up its end.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "common/os/fd.h"
#include "tests/adversarial/late_timers.h"
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

// What is allowed beside the machine's own lateness is ours: from the end of the time to the kill,
// 100 ms until the result no longer waits for the kernel, and each step on the way waits for a
// processor once. A launcher that is given none for seconds, as no thread here was, is late by
// chance: then it is tried again. Whoever can be held up is late each time.
// proves: WSM-16, VLT-44
TEST_P(Stall, OfTheSupervisorPutsOffNoLimit) {
  contracts::LaunchRequest hostile = timed(probe("stall", {"60", "12", "4"}));
  hostile.policy.limits.memory = Quantity{256 * kMiB};
  // Where nothing but the address space bounds the memory, that would be all there is.
  if (!as_root()) hostile.policy.limits.memory.reset();
  constexpr Millis kOurs{500};
  constexpr int kSteps = 4;
  constexpr int kMostTries = 8;
  std::string late_by;
  for (int i = 0; i < kMostTries; ++i) {
    const LateTimers timers;
    const Finished done = run(hostile);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->status, SandboxStatus::kTimeout) << done.result->reason;
    const Millis late = Millis(done.result->duration_ms) - kWallTime;
    if (late <= kOurs + kSteps * timers.latest()) return;
    late_by += cat(" ", late.count(), " (timers: ", timers.latest().count(), ")");
  }
  ADD_FAILURE() << "it was late each time, by so many milliseconds:" << late_by;
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
