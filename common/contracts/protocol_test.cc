#include "common/contracts/protocol.h"

#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

TEST(Protocol, OneReleaseApartWorksTogetherEitherWay) {
  EXPECT_TRUE(compatible(2, 2));
  EXPECT_TRUE(compatible(1, 2));
  EXPECT_TRUE(compatible(3, 2));
  EXPECT_FALSE(compatible(4, 2));
  EXPECT_FALSE(compatible(2, 4));
  EXPECT_FALSE(compatible(-1, 0));
}

// What a refusal says has to be upgraded: the side that its sentence names last.
std::string to_upgrade(const Status& refused) {
  if (refused.ok()) return "neither";
  const std::string& message = refused.error().message;
  return message.rfind("controller") > message.rfind("agent") ? "controller" : "agent";
}

TEST(Protocol, WhoIsOlderIsToBeUpgraded) {
  const Status newer = check_agent_protocol(5, 2);
  ASSERT_FALSE(newer.ok());
  EXPECT_EQ(newer.error().reason, kProtocolMismatch);
  EXPECT_NE(newer.error().message.find(" 5 "), std::string::npos) << "what the other one speaks";
  EXPECT_EQ(to_upgrade(newer), "controller");
  EXPECT_EQ(to_upgrade(check_agent_protocol(2, 5)), "agent");
  EXPECT_EQ(to_upgrade(check_controller_protocol(5, 2)), "agent");
  EXPECT_EQ(to_upgrade(check_controller_protocol(2, 5)), "controller");
  EXPECT_TRUE(check_controller_protocol(kUnsaidProtocol).ok());
}

TEST(Protocol, IsSaidAsANumberOrNotAtAll) {
  EXPECT_EQ(protocol_said("").value(), kUnsaidProtocol);
  EXPECT_EQ(protocol_said("7").value(), 7);
  for (const char* bad : {"0", "-1", "2.0", "two", "99999999999999999999", " 2"})
    EXPECT_EQ(protocol_said(bad).error().reason, "PROTOCOL_INVALID") << bad;
}

}  // namespace
}  // namespace paddock::contracts
