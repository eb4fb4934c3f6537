#include "controller/base/idle_thread.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace paddock {
namespace {

std::vector<std::string>& told() {
  static std::vector<std::string> all;
  return all;
}

}  // namespace
}  // namespace paddock

// In place of jemalloc's, which this program is not linked with.
extern "C" int mallctl(const char* name, void*, size_t*, void*, size_t) {
  paddock::told().emplace_back(name);
  return 0;
}

namespace paddock {
namespace {

using Told = std::vector<std::string>;

TEST(IdleThread, GivesBackItsOwnStoreAtOnceAndWhatOthersShareOnlyAfterLong) {
  told().clear();
  thread_is_idle();
  EXPECT_EQ(told(), Told{"thread.tcache.flush"});
  thread_is_idle_for_long();
  EXPECT_EQ(told(), (Told{"thread.tcache.flush", "thread.idle"}));
}

}  // namespace
}  // namespace paddock
