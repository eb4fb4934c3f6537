#include "node-agent/devices/driver_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::devices {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Accelerator card(const std::string& id, const std::string& gpu) {
  Accelerator out{"nvidia", id, "a GPU", {"/dev/" + id}};
  out.gpu = gpu;
  return out;
}

GpuReport said(const std::string& id, const std::string& fault = {}) {
  GpuReport out;
  out.id = id;
  out.minor = 7;
  out.memory = wire::Quantity{1000};
  out.fault = fault;
  return out;
}

TEST(Judged, WhatTheDriverSaysIsTheDevices) {
  const auto all = judged({card("a", "a"), card("b", "b"), card("MIG-a/1/0", "a")},
                          {"", {said("a", "sick"), said("b")}}, {}, {});
  EXPECT_EQ(all.at(0).fault, "sick");
  EXPECT_EQ(all.at(1).fault, "");
  EXPECT_EQ(all.at(1).memory->bytes, 1000);
  EXPECT_EQ(all.at(2).fault, "sick");          // a slice is as well as its card
  EXPECT_FALSE(all.at(2).memory.has_value());  // and has a part of its memory
}

TEST(Judged, ADriverThatFailsTakesAllItsDevicesAndNoOthers) {
  const auto all = judged({card("a", "a"), card("declared", "")}, {"no answer", {}}, {}, {});
  EXPECT_EQ(all.at(0).fault, "no answer");
  EXPECT_THAT(all.at(1).fault, IsEmpty());
}

TEST(Judged, ACardThatTheDriverDoesNotListIsFaulty) {
  EXPECT_THAT(judged({card("a", "a")}, {"", {said("b")}}, {}, {}).at(0).fault,
              HasSubstr("does not list it"));
}

TEST(Judged, WhatOnlyTheDriverListsIsFoundUnlessItsNodesAreNotKnown) {
  GpuReport sliced = said("sliced"), nameless = said(""), nowhere = said("nowhere");
  sliced.partitioned = true;
  nowhere.minor = -1;
  const auto all = judged({}, {"", {said("a", "sick"), sliced, nameless, nowhere}},
                          {"/dev/nvidiactl"}, {"/driver"});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, "a");
  EXPECT_EQ(all[0].fault, "sick");
  EXPECT_THAT(all[0].nodes, ElementsAre("/dev/nvidia7", "/dev/nvidiactl"));
  EXPECT_THAT(all[0].libraries, ElementsAre("/driver"));
  EXPECT_EQ(all[0].env.at("CUDA_VISIBLE_DEVICES"), "a");
}

TEST(Judged, ACardWithMigOnAndWithoutAComputeInstanceIsFaultyAndSaysWhatMakesOne) {
  GpuReport on = said("a");
  on.partitioned = true;
  EXPECT_THAT(judged({card("a", "a")}, {"", {on}}, {}, {}).at(0).fault,
              HasSubstr("nvidia-smi mig -cgi"));
  EXPECT_THAT(judged({card("MIG-a/1/0", "a")}, {"", {on}}, {}, {}).at(0).fault, IsEmpty());
  on.fault = "sick";
  EXPECT_EQ(judged({card("a", "a")}, {"", {on}}, {}, {}).at(0).fault, "sick");
}

TEST(Judged, NoCardIsListedTwice) {
  Accelerator nameless = card("0000:10:00.0", "");  // below /proc it has no UUID yet
  nameless.nodes = {"/dev/nvidia7"};
  const auto all = judged({nameless}, {"", {said("a", "sick")}}, {}, {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, "a") << "the driver has";
  EXPECT_EQ(all[0].gpu, "a");
  EXPECT_EQ(all[0].env.at("CUDA_VISIBLE_DEVICES"), "a");
  EXPECT_EQ(all[0].fault, "sick");
  // The one that had this node before the machine was started anew is gone.
  Accelerator before = card("b", "b");
  before.nodes = nameless.nodes;
  EXPECT_EQ(with_vanished({before}, all).size(), 2U);
}

TEST(WithVanished, ACardUnderAnotherNameIsNotGone) {
  Accelerator slice = card("MIG-a/1/0", "a");
  slice.nodes = {"/dev/a", "/dev/nvidia-caps/nvidia-cap21"};
  EXPECT_EQ(with_vanished({card("a", "a")}, {slice}).size(), 1U);
}

TEST(WithVanished, WhatWasThereStaysListedWithThatFaultUntilItComesBack) {
  const auto gone = with_vanished({card("a", "a"), card("b", "b")}, {card("b", "b")});
  ASSERT_EQ(gone.size(), 2U);
  EXPECT_EQ(gone[1].id, "a");
  EXPECT_THAT(gone[1].fault, HasSubstr("gone"));
  const auto back = with_vanished(gone, {card("a", "a"), card("b", "b")});
  ASSERT_EQ(back.size(), 2U);
  EXPECT_THAT(back[0].fault, IsEmpty());
}

TEST(Choose, NeverGivesOneThatHasAFault) {
  Accelerator sick = card("a", "a");
  sick.fault = "sick";
  const auto chosen = choose({sick, card("b", "b")}, {}, {contracts::AcceleratorKind::kAny, 1});
  EXPECT_EQ(chosen.value().at(0).id, "b");
  EXPECT_EQ(choose({sick}, {}, {contracts::AcceleratorKind::kNvidia, 1}).error().reason,
            "ACCELERATOR_UNAVAILABLE");
}

}  // namespace
}  // namespace paddock::devices
