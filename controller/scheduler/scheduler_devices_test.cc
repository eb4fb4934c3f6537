// Placement by accelerators.
#include <gtest/gtest.h>

#include "controller/scheduler/whole_plan_test_support.h"

namespace paddock::scheduler {
namespace {

using contracts::AcceleratorKind;
using contracts::Accelerators;

TEST(SchedulerDevices, ADeviceWithAFaultIsNotThere) {
  contracts::Run run = make_run("r");
  run.spec.resources.emplace().accelerators = Accelerators{AcceleratorKind::kNvidia, 1};
  contracts::Node node = make_node("n");
  node.status.devices = {{"nvidia", "0", "", {}, "it is gone"}};
  EXPECT_NE(reason(run, {node}).find("no nvidia device"), std::string::npos);
  node.status.devices.push_back({"nvidia", "1", ""});
  EXPECT_EQ(reason(run, {node}), "placed on n");
}

TEST(SchedulerDevices, AnAcceleratorRunNeverLandsOnAHostWithoutOne) {
  contracts::Node apple = make_node("apple");
  apple.status.devices = {{"apple", "0", ""}};
  contracts::Node both = make_node("both");
  both.status.devices = {{"apple", "0", ""}, {"nvidia", "0", ""}};
  contracts::Run nvidia = make_run("r");
  nvidia.spec.resources.emplace().accelerators = Accelerators{AcceleratorKind::kNvidia, 1};
  EXPECT_EQ(reason(nvidia, {make_node("plain"), apple, both}), "placed on both");
  nvidia.spec.resources->accelerators->count = 2;
  EXPECT_NE(reason(nvidia, {make_node("plain"), apple, both}).find("fewer than 2 nvidia devices"),
            std::string::npos);
}

TEST(SchedulerDevices, PromisesNoDeviceTwice) {
  contracts::Node node = make_node("n");
  node.status.devices = {{"apple", "0", ""}, {"nvidia", "0", ""}};
  std::vector<contracts::Run> runs;
  for (const auto kind : {AcceleratorKind::kAny, AcceleratorKind::kApple, AcceleratorKind::kAny}) {
    runs.push_back(make_run(cat("r", runs.size())));
    runs.back().spec.resources.emplace().accelerators = Accelerators{kind, 1};
  }
  const WholePlan made = plan(runs, {node});
  EXPECT_EQ(made.bindings.size(), 2u);
  EXPECT_NE(made.unplaced.at(0).why.message.find("accelerator"), std::string::npos);
}

TEST(SchedulerDevices, PrefersTheNodeWithMostLeftAndSparesAccelerators) {
  contracts::Node device = make_node("a", 64, 256LL << 30);
  device.status.devices = {{"nvidia", "0", ""}};
  const WholePlan made = plan({make_run("r")}, {device, make_node("b", 2), make_node("c", 8)});
  EXPECT_EQ(made.bindings.at(0).node, "b");  // nothing is asked for: all shares are equal
  contracts::Run two = make_run("two");
  two.spec.resources.emplace().cpu = 2;
  EXPECT_EQ(plan({two}, {device, make_node("b", 2), make_node("c", 8)}).bindings.at(0).node, "c");
}

}  // namespace
}  // namespace paddock::scheduler
