#include "node-agent/sandbox/linux/launcher/exec_time_keeper.h"

#include <poll.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using Type = ControlMessage::Type;

// Both can be there when the thread next gets a processor.
TEST(ExecTimeKeeper, HearsOfACommandsEndBeforeTheEndOfItsRun) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const os::Fd keeper(ends[0]);
  const SystemClock clock;
  const os::Event run_over;
  ASSERT_TRUE(run_over.valid());
  run_over.raise();
  ASSERT_TRUE(send_control(keeper.get(), Type::kStarted));
  ASSERT_TRUE(send_control(keeper.get(), Type::kEnded, 0));
  ExecTimeKeeper timed(os::Fd(ends[1]),
                       {clock, -1, run_over.fd(), false, {Millis(60'000), {}, {}}});
  ASSERT_TRUE(timed.start().ok());
  ExecTimeKeeper::News news;
  while (!news.state.run_over) {
    pollfd told{timed.fd(), POLLIN, 0};
    ASSERT_EQ(poll(&told, 1, 60'000), 1);
    news = timed.take();
  }
  EXPECT_EQ(news.state.wait_status, 0);
  EXPECT_FALSE(news.state.cut_short);
}

}  // namespace
}  // namespace paddock::sandbox
