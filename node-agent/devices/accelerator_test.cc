#include "node-agent/devices/accelerator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/devices/accelerator_ledger.h"

namespace paddock::devices {
namespace {

using contracts::AcceleratorKind;
using testing::ElementsAre;
using testing::IsEmpty;

Accelerator gpu(const std::string& id, const std::string& kind = "nvidia") {
  return {kind, id, "model", {"/dev/" + id, "/dev/shared"}, {}, {{"VISIBLE", id}}};
}

std::vector<std::string> ids(const Result<std::vector<Accelerator>>& chosen) {
  std::vector<std::string> out;
  if (!chosen) return {chosen.error().reason};
  for (const Accelerator& each : *chosen) out.push_back(each.id);
  return out;
}

TEST(Choose, TakesTheFirstThatAreFreeOfTheKind) {
  const std::vector<Accelerator> there = {gpu("c"), gpu("a"), gpu("b"), gpu("x", "apple")};
  EXPECT_THAT(ids(choose(there, {"a"}, {AcceleratorKind::kNvidia, 2})), ElementsAre("b", "c"));
  EXPECT_THAT(ids(choose(there, {}, {AcceleratorKind::kApple, 1})), ElementsAre("x"));
}

TEST(Choose, AnyIsOfTheKindWithMostToSpare) {
  const std::vector<Accelerator> there = {gpu("a"), gpu("x", "apple"), gpu("y", "apple")};
  EXPECT_THAT(ids(choose(there, {}, {AcceleratorKind::kAny, 1})), ElementsAre("x"));
  EXPECT_THAT(ids(choose(there, {"x", "y"}, {AcceleratorKind::kAny, 1})), ElementsAre("a"));
}

TEST(Choose, FewerThanWereAskedForAreNone) {
  EXPECT_THAT(ids(choose({gpu("a"), gpu("b")}, {"b"}, {AcceleratorKind::kNvidia, 2})),
              ElementsAre("ACCELERATOR_UNAVAILABLE"));
}

TEST(Access, NamesEachNodeOnceAndJoinsWhatIsVisible) {
  const Access access = access_to({gpu("a"), gpu("b")});
  EXPECT_THAT(access.nodes, ElementsAre("/dev/a", "/dev/shared", "/dev/b"));
  EXPECT_EQ(access.env.at("VISIBLE"), "a,b");
  EXPECT_THAT(access.mounts, IsEmpty());
  EXPECT_FALSE(access.env.contains("LD_LIBRARY_PATH"));
}

TEST(Access, AVariableThatOneLacksWouldHideItAndIsLeftOut) {
  Accelerator plain = gpu("b");
  plain.env.clear();
  EXPECT_FALSE(access_to({gpu("a"), plain}).env.contains("VISIBLE"));
}

TEST(Access, LibrariesOutsideTheSystemAreMountedReadOnly) {
  Accelerator one = gpu("a");
  one.libraries = {"/opt/nvidia/lib64", "/usr/lib/wsl/lib"};
  Accelerator two = gpu("b");
  two.libraries = one.libraries;
  const Access access = access_to({one, two});
  ASSERT_EQ(access.mounts.size(), 1U);
  EXPECT_EQ(access.mounts[0].host_path, "/opt/nvidia/lib64");
  EXPECT_EQ(access.mounts[0].sandbox_path, "/driver/0");
  EXPECT_EQ(access.mounts[0].mode, contracts::MountMode::kReadOnly);
  EXPECT_EQ(access.env.at("LD_LIBRARY_PATH"), "/driver/0:/usr/lib/wsl/lib");
}

TEST(Access, NothingGrantedIsNothing) { EXPECT_THAT(access_to({}).nodes, IsEmpty()); }

TEST(AcceleratorLedger, NobodyElseGetsWhatIsHeld) {
  AcceleratorLedger ledger;
  ledger.know({gpu("a"), gpu("b")});
  auto first = ledger.take({AcceleratorKind::kNvidia, 1});
  ASSERT_TRUE(first.ok());
  EXPECT_THAT(first->ids(), ElementsAre("a"));
  {
    const auto second = ledger.take({AcceleratorKind::kNvidia, 1});
    EXPECT_THAT(second->ids(), ElementsAre("b"));
    EXPECT_EQ(ledger.take({AcceleratorKind::kNvidia, 1}).error().reason, "ACCELERATOR_UNAVAILABLE");
  }
  EXPECT_THAT(ledger.take({AcceleratorKind::kNvidia, 1})->ids(), ElementsAre("b"));
}

TEST(AcceleratorLedger, WhatARunHasIsItsOwnThoughTheDeviceIsGone) {
  AcceleratorLedger ledger;
  ledger.know({gpu("b")});
  const AcceleratorLedger::Hold held = ledger.take_again({"a", "b"});
  ledger.know({gpu("a"), gpu("b")});
  EXPECT_EQ(ledger.take({AcceleratorKind::kNvidia, 1}).error().reason, "ACCELERATOR_UNAVAILABLE");
  EXPECT_THAT(held.ids(), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace paddock::devices
