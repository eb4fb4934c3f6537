#include "common/base/start_thread.h"

#include <pthread.h>

#include <atomic>

#include <gtest/gtest.h>

#include "common/base/parallel.h"

namespace paddock {
namespace {

#ifdef __GLIBC__
// As on a host without a thread left: no stack is so small that it fits.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size_t{1} << 46);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

TEST(StartThread, SaysSoWhereThereIsNoneLeft) {
  {
    const NoThreads none;
    const auto thread = start_thread([] {});
    ASSERT_FALSE(thread.ok());
    EXPECT_EQ(thread.error().reason, "SYSTEM_ERROR");
  }
  bool ran = false;
  auto thread = start_thread([&] { ran = true; });
  ASSERT_TRUE(thread.ok());
  thread->join();
  EXPECT_TRUE(ran);
}

TEST(StartThread, TasksOfManyThreadsAreDoneInTurnWithoutThem) {
  const NoThreads none;
  std::string done;
  at_once({[&] { done += "a"; }, [&] { done += "b"; }, [&] { done += "c"; }});
  EXPECT_EQ(done, "abc");
}
#endif

TEST(StartThread, TasksOfManyThreadsAreAllDone) {
  std::atomic<int> done = 0;
  at_once({[&] { ++done; }, [&] { ++done; }, [&] { ++done; }});
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace paddock
