#include "node-agent/base/regularly.h"

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

TEST(Regularly, LooksAgainAndAgainUntilItIsOver) {
  std::mutex mutex;
  std::condition_variable seen;
  int looks = 0;
  const Regularly regularly(Regularly::First::kLater, Millis(1), [&] {
    const std::lock_guard lock(mutex);
    ++looks;
    seen.notify_all();
  });
  std::unique_lock lock(mutex);
  EXPECT_TRUE(seen.wait_for(lock, std::chrono::minutes(5), [&] { return looks >= 3; }));
}

TEST(Regularly, DoesItAtOnceWhereThatIsWanted) {
  std::mutex mutex;
  std::condition_variable seen;
  int looks = 0;
  const Regularly regularly(Regularly::First::kAtOnce, std::chrono::hours(1), [&] {
    const std::lock_guard lock(mutex);
    ++looks;
    seen.notify_all();
  });
  std::unique_lock lock(mutex);
  EXPECT_TRUE(seen.wait_for(lock, std::chrono::minutes(5), [&] { return looks == 1; }));
}

}  // namespace
}  // namespace paddock::agent
