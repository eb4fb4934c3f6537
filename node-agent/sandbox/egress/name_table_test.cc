#include "node-agent/sandbox/egress/name_table.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

TEST(NameTable, GivesEachNameOneAddressForTheRun) {
  NameTable table;
  const auto first = table.address_of("a.example");
  const auto second = table.address_of("b.example");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(to_text(*first), "127.64.0.1");
  EXPECT_EQ(to_text(*second), "127.64.0.2");
  EXPECT_EQ(table.address_of("a.example"), first);
  EXPECT_EQ(table.name_at(*second), "b.example");
  const std::map<std::string, std::string> all = {{"127.64.0.1", "a.example"},
                                                  {"127.64.0.2", "b.example"}};
  EXPECT_EQ(table.by_address(), all);
}

TEST(NameTable, KnowsNoAddressThatItDidNotGive) {
  NameTable table;
  ASSERT_TRUE(table.address_of("a.example"));
  for (const char* text : {"127.64.0.0", "127.64.0.2", "127.0.0.1", "0.0.0.0", "255.255.255.255",
                           "::1", "::ffff:127.64.0.1"}) {
    EXPECT_FALSE(table.name_at(*parse_ip(text))) << text;
  }
}

TEST(NameTable, IsFullAfterItsBoundAndKeepsWhatItHas) {
  NameTable table;
  for (size_t i = 0; i < NameTable::kMost; ++i) ASSERT_TRUE(table.address_of(cat("n", i)));
  EXPECT_FALSE(table.address_of("one.more"));
  const auto last = table.address_of(cat("n", NameTable::kMost - 1));
  ASSERT_TRUE(last);
  EXPECT_TRUE(is_synthetic(*last));
  EXPECT_EQ(to_text(*last), "127.64.4.0");
  EXPECT_FALSE(is_synthetic(*parse_ip("127.64.4.1")));
  EXPECT_FALSE(is_synthetic(*parse_ip("127.0.0.1")));
  EXPECT_FALSE(is_synthetic(*parse_ip("::1")));
}

}  // namespace
}  // namespace paddock::sandbox
