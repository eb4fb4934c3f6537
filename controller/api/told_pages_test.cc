#include "controller/api/objects/told_pages.h"

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

TEST(ToldPages, ChangesAreToldUpToTheSnapshotOfTheirPage) {
  ToldPages told;
  told.add(ListPlace{"team", "b"}, 10);
  told.add(ListPlace{"team", "d"}, 12);
  told.add(std::nullopt, 15);
  EXPECT_EQ(told.first(), 10);
  EXPECT_EQ(told.newest(), 15);
  for (const char* name : {"a", "b"}) {
    EXPECT_TRUE(told.has({"team", name}, 10)) << name;
    EXPECT_FALSE(told.has({"team", name}, 11)) << name;
  }
  for (const char* name : {"b0", "d"}) {
    EXPECT_TRUE(told.has({"team", name}, 12)) << name;
    EXPECT_FALSE(told.has({"team", name}, 13)) << name;
  }
  EXPECT_TRUE(told.has({"team", "e"}, 15));
  EXPECT_TRUE(told.has({"teams", "a"}, 15));
  EXPECT_TRUE(told.has({"", "z"}, 10)) << "no namespace comes before all others";
  EXPECT_FALSE(told.has({"", "z"}, 11));
  EXPECT_FALSE(told.has({"team", "e"}, 16));
}

TEST(ToldPages, OfOneSnapshotAreAsOne) {
  ToldPages told;
  told.add(ListPlace{"", "a"}, 7);
  told.add(ListPlace{"", "b"}, 7);
  told.add(std::nullopt, 7);
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_TRUE(told.has({"", name}, 7)) << name;
    EXPECT_FALSE(told.has({"", name}, 8)) << name;
  }
}

TEST(ToldPages, OfWhatWasNotToldIsNone) { EXPECT_FALSE(ToldPages().has({"team", "a"}, 1)); }

}  // namespace
}  // namespace paddock::api
