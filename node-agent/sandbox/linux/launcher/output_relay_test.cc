#include "node-agent/sandbox/linux/launcher/output_relay.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

constexpr int64_t kMiB = 1 << 20;

class Relay : public testing::Test {
 protected:
  // What is taken of `out` at a command's end.
  static int64_t taken_at_the_end(os::Fd out) {
    LauncherLimits limits;
    limits.stdout_bytes = limits.stderr_bytes = int64_t{1} << 40;
    const SystemClock clock;
    EventWriter events(os::Fd(::open("/dev/null", O_WRONLY | O_CLOEXEC)), clock);
    OutputRelay relay(std::move(out), {}, limits, 0, events);
    relay.finish(MonoTime());
    return relay.outputs().out.written();
  }
  os::Pipe pipe_ = std::move(*os::make_pipe());
};

TEST_F(Relay, TakesAllThatAFullPipeHoldsAtTheEnd) {
  const int holds = ::fcntl(pipe_.write.get(), F_SETPIPE_SZ, 256 << 10);
  ASSERT_GT(holds, 0);
  ASSERT_EQ(::fcntl(pipe_.read.get(), F_SETFL, O_NONBLOCK), 0);
  ASSERT_EQ(::write(pipe_.write.get(), std::string(static_cast<size_t>(holds), 'x').data(),
                    static_cast<size_t>(holds)),
            holds);
  EXPECT_EQ(taken_at_the_end(std::move(pipe_.read)), holds);
}

// A command hands its output to a process that goes on.
TEST_F(Relay, TakesNoMoreThanThatOfOneWhoWritesWithoutEnd) {
  ASSERT_NE(::signal(SIGPIPE, SIG_IGN), SIG_ERR);
  const int holds = ::fcntl(pipe_.read.get(), F_GETPIPE_SZ);
  std::thread writer([to = pipe_.write.get()] {
    const std::string piece(64 << 10, 'x');
    while (::write(to, piece.data(), piece.size()) > 0) continue;
  });
  EXPECT_LT(taken_at_the_end(std::move(pipe_.read)), holds + (64 << 10));
  writer.join();
}

TEST_F(Relay, TakesAMebibyteOfWhatIsNoPipeAndHasNoEnd) {
  EXPECT_EQ(taken_at_the_end(os::Fd(::open("/dev/zero", O_RDONLY | O_CLOEXEC))), kMiB);
}

}  // namespace
}  // namespace paddock::sandbox
