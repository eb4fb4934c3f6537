#include "cli/output/live_use.h"

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::cli {
namespace {

contracts::Use read(const char* json) { return use_in(wire::parse_json(json).value()); }

TEST(LiveUse, IsReadFromNodesAndFromTheContainerOfARun) {
  const contracts::Use node = read(R"({"usage": {"cpu": "1250m", "memory": "1048576"}})");
  EXPECT_EQ(units_text(node.cpu_milli), "1.25");
  EXPECT_EQ(bytes_text(node.memory), "1.0 MiB");
  EXPECT_EQ(count_text(node.tasks), "-") << "not measured";
  const contracts::Use run =
      read(R"({"containers": [{"usage": {"cpu": "2", "tasks": "7", "accelerators": "930m"}}]})");
  EXPECT_EQ(units_text(run.cpu_milli), "2.00");
  EXPECT_EQ(count_text(run.tasks), "7");
  EXPECT_EQ(units_text(run.accelerator_milli), "0.93");
}

TEST(LiveUse, WhatIsNoAmountWasNotMeasured) {
  EXPECT_EQ(read("{}"), contracts::Use{});
  EXPECT_EQ(read(R"({"containers": []})"), contracts::Use{});
  const contracts::Use odd =
      read(R"({"usage": {"cpu": "NaN", "memory": "9999999999999999999999", "tasks": 3}})");
  EXPECT_EQ(odd, contracts::Use{});
  EXPECT_EQ(units_text(5), "0.00");
  EXPECT_EQ(units_text(50), "0.05");
}

}  // namespace
}  // namespace paddock::cli
