#include "controller/nodes/usage_table.h"

#include <gtest/gtest.h>

namespace paddock::nodes {
namespace {

contracts::Node node(const std::string& name = "n1") {
  contracts::Node out;
  out.metadata.name = name;
  out.status.capacity.cpu = 4;
  out.status.capacity.memory = wire::Quantity{1000};
  contracts::Device gpu;
  gpu.memory = wire::Quantity{80};
  out.status.devices = {gpu};
  return out;
}

contracts::Run run(const std::string& uid, const std::string& on, int64_t attempt = 1) {
  contracts::Run out;
  out.metadata.uid = uid;
  out.status.node_name = on;
  out.status.attempt = attempt;
  return out;
}

contracts::UsageReport report_of(const std::string& uid, int64_t cpu_milli) {
  contracts::UsageReport report;
  report.node.cpu_milli = cpu_milli;
  contracts::RunUse use{uid, 1, {}};
  use.use.cpu_milli = cpu_milli;
  report.runs.push_back(use);
  return report;
}

Now at(int64_t ms) { return {WallTime{ms}, MonoTime{ms}}; }

TEST(UsageTable, ShowsTheLatestWordUntilItIsOld) {
  UsageTable table;
  EXPECT_FALSE(table.of_node(node(), MonoTime{0}));
  table.note("n1", report_of("a", 100), at(0));
  table.note("n1", report_of("b", 200), at(1000));
  EXPECT_EQ(table.of_node(node(), MonoTime{1000})->use.cpu_milli, 200);
  EXPECT_EQ(table.of_run(run("b", "n1"), node(), MonoTime{1000})->at, WallTime{1000});
  EXPECT_FALSE(table.of_run(run("a", "n1"), node(), MonoTime{1000})) << "not in the latest word";
  const MonoTime late = MonoTime{1001} + kUsageFresh;
  EXPECT_FALSE(table.of_node(node(), late));
  EXPECT_FALSE(table.of_run(run("b", "n1"), node(), late));
}

TEST(UsageTable, NoNodeSpeaksOfAnothersRunOrOfAnEarlierAttempt) {
  UsageTable table;
  table.note("n1", report_of("mine", 100), at(0));
  table.note("n2", report_of("mine", 4000), at(0));
  EXPECT_EQ(table.of_run(run("mine", "n1"), node("n1"), MonoTime{0})->use.cpu_milli, 100);
  EXPECT_FALSE(table.of_run(run("mine", "n1"), node("n2"), MonoTime{0}));
  EXPECT_FALSE(table.of_run(run("mine", "n1", 2), node("n1"), MonoTime{0}));
  EXPECT_FALSE(table.of_run(run("mine", ""), node("n1"), MonoTime{0})) << "placed nowhere";
}

TEST(UsageTable, AmountsBeyondTheNodesSizeAreNotBelieved) {
  contracts::Use use;
  use.cpu_milli = 4000;
  use.memory = wire::Quantity{1000};
  use.tasks = 3;
  use.accelerator_milli = 1000;
  use.accelerator_memory = wire::Quantity{80};
  EXPECT_EQ(believed(use, node().status), use) << "all of it is in use";
  use.cpu_milli = 4001;
  use.memory = wire::Quantity{INT64_MAX};
  use.accelerator_milli = 1001;
  use.accelerator_memory = wire::Quantity{81};
  contracts::Use tasks_alone;
  tasks_alone.tasks = 3;
  EXPECT_EQ(believed(use, node().status), tasks_alone);
}

}  // namespace
}  // namespace paddock::nodes
