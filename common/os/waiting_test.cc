// What a thread can wait for with poll().
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "common/os/event.h"
#include "common/os/file.h"
#include "common/os/file_watch.h"
#include "common/os/signals.h"
#include "common/os/timer.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {
namespace {

constexpr int kLong = 60'000;

bool readable(int fd, int wait_ms) {
  pollfd asked{fd, POLLIN, 0};
  return ::poll(&asked, 1, wait_ms) == 1;
}

TEST(Event, IsReadableFromItsRaisingUntilItIsCleared) {
  const Event event;
  ASSERT_TRUE(event.valid());
  EXPECT_FALSE(readable(event.fd(), 0));
  event.raise();
  event.raise();
  EXPECT_TRUE(readable(event.fd(), 0));
  EXPECT_TRUE(readable(event.fd(), 0)) << "looking takes nothing";
  event.clear();
  EXPECT_FALSE(readable(event.fd(), 0));
  event.clear();  // does not wait
  event.raise();
  EXPECT_TRUE(readable(event.fd(), 0));
}

TEST(Event, WakesWhoWaitsInAnotherThread) {
  const Event event;
  bool woken = false;
  std::thread waiter([&] { woken = readable(event.fd(), kLong); });
  event.raise();
  waiter.join();
  EXPECT_TRUE(woken);
}

TEST(Timer, RingsOnceAndIsTakenOnce) {
  const Timer timer;
  ASSERT_TRUE(timer.valid());
  EXPECT_FALSE(timer.take());
  timer.schedule(std::chrono::hours(1));
  EXPECT_FALSE(readable(timer.fd(), 0));
  timer.schedule(std::chrono::nanoseconds(0));  // in place of the hour
  EXPECT_TRUE(readable(timer.fd(), kLong));
  EXPECT_TRUE(timer.take());
  EXPECT_FALSE(timer.take());
  EXPECT_FALSE(readable(timer.fd(), 0));
}

// The signal would end this process if it were not blocked.
TEST(Signals, AreReadInsteadOfTaken) {
  sigset_t before;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  {
    const auto signals = signals_as_file({SIGUSR1, SIGUSR2});
    ASSERT_TRUE(signals.ok()) << signals.error().describe();
    EXPECT_FALSE(readable(signals->get(), 0));
    ASSERT_EQ(::kill(::getpid(), SIGUSR2), 0);
    EXPECT_TRUE(readable(signals->get(), kLong));
    sigset_t sent;
    ::sigemptyset(&sent);
    ::sigaddset(&sent, SIGUSR2);
    int taken = 0;
    ASSERT_EQ(::sigwait(&sent, &taken), 0);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

class FileWatching : public testing::Test {
 protected:
  std::string path(const char* name) const { return join_path(folder_.path(), name); }
  static void append(const std::string& path) { std::ofstream(path, std::ios::app) << "more"; }
  test::TempDir folder_;
};

TEST_F(FileWatching, TellsOfAFileThatGrows) {
  append(path("events"));
  append(path("other"));
  FileWatch watch;
  ASSERT_TRUE(watch.add_file(path("events")));
  append(path("other"));
  EXPECT_FALSE(readable(watch.fd(), 0));
  append(path("events"));
  EXPECT_TRUE(readable(watch.fd(), kLong));
  watch.take_news();
  EXPECT_FALSE(readable(watch.fd(), 0));
  append(path("events"));
  EXPECT_TRUE(readable(watch.fd(), kLong));
}

TEST_F(FileWatching, TellsOfAFileThatIsReplaced) {
  append(path("program"));
  append(path("next"));
  FileWatch watch;
  ASSERT_TRUE(watch.add_folder(folder_.path()));
  ASSERT_EQ(::rename(path("next").c_str(), path("program").c_str()), 0);
  EXPECT_TRUE(readable(watch.fd(), kLong));
  watch.take_news();
  EXPECT_FALSE(readable(watch.fd(), 0));
}

TEST_F(FileWatching, SaysWhatItCannotWatch) {
  FileWatch watch;
  EXPECT_FALSE(watch.add_file(path("missing")));
  EXPECT_FALSE(watch.add_folder(path("missing")));
}

}  // namespace
}  // namespace paddock::os
