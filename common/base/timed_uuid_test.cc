#include "common/base/timed_uuid.h"

#include <set>

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(TimedUuid, HasTheFormOfVersion7WithItsTimeFirst) {
  SystemRandom random;
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = make_timed_uuid(random, WallTime{0x0123456789ab});
    ASSERT_EQ(uuid.size(), 36U);
    ASSERT_EQ(uuid.substr(0, 15), "01234567-89ab-7");
    ASSERT_EQ(uuid[18], '-');
    ASSERT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
    ASSERT_EQ(uuid[23], '-');
    ASSERT_TRUE(seen.insert(uuid).second);
  }
}

TEST(TimedUuid, SortsByItsTime) {
  SeededRandom random(1);
  std::string before;
  for (const int64_t ms : {int64_t{0}, int64_t{1}, int64_t{0xffffffff}, int64_t{0x100000000},
                           int64_t{1'764'460'800'000}, int64_t{1'764'460'800'001}}) {
    const std::string uuid = make_timed_uuid(random, WallTime{ms});
    EXPECT_LT(before, uuid);
    before = uuid;
  }
}

TEST(TimedUuid, IsMarkedByWhatIsRandomInIt) {
  EXPECT_EQ(uuid_mark("01234567-89ab-7cde-8f01-23456789abcd"), "cde8f01");
  EXPECT_EQ(uuid_mark("01234567-89ab-4cde-8f01-23456789abcd"), "01234567") << "version 4";
  EXPECT_EQ(uuid_mark("uid-7"), "uid-7");
}

}  // namespace
}  // namespace paddock
