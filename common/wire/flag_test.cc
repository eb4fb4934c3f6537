#include "common/wire/flag.h"

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::wire {
namespace {

struct Order {
  bool old = false;
  Flag young;
  static constexpr auto describe(auto&& visit) {
    return visit(field("old", &Order::old, "every reader knows it", {.omit_empty = true}),
                 field("young", &Order::young, "not every one", {.omit_empty = true}));
  }
};

TEST(Flag, IsWrittenWhereItIsTrueAlone) {
  EXPECT_EQ(to_json(encode(Order{})), R"({"old":false})");
  EXPECT_EQ(to_json(encode(Order{.young = true})), R"({"old":false,"young":true})");
}

TEST(Flag, IsReadAsABool) {
  for (const bool said : {false, true}) {
    const auto read = decode<Order>(Value::Object{{"young", said}});
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->young, said);
  }
  EXPECT_FALSE(decode<Order>(Value::Object{})->young);
  const auto wrong = decode<Order>(Value::Object{{"young", "yes"}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().causes.at(0).field, "young");
  EXPECT_EQ(schema<Order>().find("properties")->find("young")->text("type"), "boolean");
}

}  // namespace
}  // namespace paddock::wire
