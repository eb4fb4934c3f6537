#include "cli/output/usage.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

contracts::Run run(const std::string& name_space, contracts::RunPhase phase,
                   const std::string& node = {}) {
  contracts::Run out;
  out.metadata.name_space = name_space;
  out.status.phase = phase;
  out.status.node_name = node;
  contracts::Resources resources;
  resources.cpu = 2;
  resources.memory = wire::Quantity{1 << 30};
  resources.disk = wire::Quantity{1 << 20};
  out.spec.resources = resources;
  return out;
}

TEST(Usage, CountsWhatPlacedRunsAskedForAndWhoWaits) {
  using contracts::RunPhase;
  contracts::Node node;
  node.metadata.name = "n1";
  node.status.ready = true;
  node.spec.unschedulable = true;
  node.status.capacity.cpu = 8;
  const Usage usage =
      usage_of({node}, {run("a", RunPhase::kRunning, "n1"), run("a", RunPhase::kPreparing, "n1"),
                        run("a", RunPhase::kPending), run("b", RunPhase::kScheduled, "gone"),
                        run("b", RunPhase::kSucceeded, "n1")});
  EXPECT_EQ(usage.nodes.at("n1").status, "Ready,SchedulingDisabled");
  EXPECT_EQ(usage.nodes.at("n1").asked.runs, 2);
  EXPECT_EQ(usage.nodes.at("n1").asked.cpu, 4);
  EXPECT_EQ(usage.nodes.at("n1").asked.memory, int64_t{2} << 30);
  EXPECT_EQ(usage.nodes.at("n1").asked.disk, int64_t{2} << 20);
  EXPECT_EQ(usage.namespaces.at("a").waiting, 1);
  EXPECT_EQ(usage.namespaces.at("a").asked.runs, 2);
  EXPECT_EQ(usage.namespaces.at("b").asked.runs, 1) << "its node is not among those listed";
}

}  // namespace
}  // namespace paddock::cli
