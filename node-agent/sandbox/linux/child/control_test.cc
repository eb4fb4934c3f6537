#include "node-agent/sandbox/linux/child/control.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using Type = ControlMessage::Type;

// A child that fails while its order is on the way: why it failed must not be lost for that.
TEST(Control, WhatAChildSaidIsHeardThoughItsOrderIsLeftUnread) {
  ControlPair pair = make_control_pair().value();
  ASSERT_TRUE(send_control(pair.child.get(), Type::kFailed, 0, 0, "the step"));
  ASSERT_TRUE(send_control(pair.launcher.get(), Type::kGo));
  pair.child.reset();
  const auto said = receive_control(pair.launcher.get(), false);
  ASSERT_TRUE(said.has_value());
  EXPECT_EQ(said->type, Type::kFailed);
  EXPECT_EQ(said->text, "the step");
  EXPECT_FALSE(receive_control(pair.launcher.get(), false).has_value());
  EXPECT_NE(errno, EAGAIN) << "it is gone, and not only silent";
}

TEST(Control, NothingSaidIsNotTheEnd) {
  const ControlPair pair = make_control_pair().value();
  EXPECT_FALSE(receive_control(pair.launcher.get(), false).has_value());
  EXPECT_EQ(errno, EAGAIN);
}

}  // namespace
}  // namespace paddock::sandbox
