// What an agent makes of what its controller speaks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/client/controller_client.h"
#include "common/contracts/protocol.h"
#include "tests/support/http_server.h"

namespace paddock::client {
namespace {

using contracts::kProtocolVersion;
using test::answer;
using test::HttpServer;
using test::script;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kPlain = R"({"version":"v","runs":[],"leaseMs":15000})";
constexpr const char* kMore = R"({"version":"v","runs":[],"leaseMs":15000,"later":{"a":1}})";
constexpr const char* kUnknownPolicy =
    R"({"version":"v","runs":[{"runUid":"u","attempt":1,"policy":{"denyMore":true}}],)"
    R"("leaseMs":15000})";

Result<contracts::SyncAnswer> synchronized(const HttpServer& server) {
  ControllerClient client({server.url(), {}, {}, {}});
  contracts::SyncRequest request;
  request.process = "process-1";
  return client.synchronize("n1", request);
}

Result<contracts::SyncAnswer> told(int64_t protocol, const char* body) {
  const std::string header =
      protocol == 0 ? "" : cat("Paddock-Controller-Protocol: ", protocol, "\r\n");
  HttpServer server(script({answer(200, body, header)}));
  return synchronized(server);
}

TEST(AgentProtocol, IsSaidWithEachCall) {
  HttpServer server(script({answer(200, kPlain)}));
  ASSERT_TRUE(synchronized(server).ok());
  EXPECT_EQ(server.requests().at(0).headers.at("paddock-agent-protocol"),
            std::to_string(kProtocolVersion));
}

TEST(AgentProtocol, AControllerOneReleaseApartIsUnderstood) {
  EXPECT_TRUE(told(0, kPlain).ok()) << "the release before says no number";
  EXPECT_TRUE(told(kProtocolVersion, kPlain).ok());
  EXPECT_TRUE(told(kProtocolVersion + 1, kMore).ok());
  EXPECT_EQ(told(kProtocolVersion, kMore).error().reason, "UNEXPECTED_ANSWER");
}

TEST(AgentProtocol, WhatAnOlderControllerDoesNotKnowIsLeftOutUntilOneDoes) {
  const char* refused =
      R"({"error":{"code":"UNKNOWN_FIELD","message":"status.os: unknown field",)"
      R"("details":{"causes":[{"field":"status.os","message":"unknown field"}]}}})";
  const std::string newer = cat("Paddock-Controller-Protocol: ", kProtocolVersion, "\r\n");
  HttpServer server(script({answer(400, refused), answer(200, kPlain), answer(200, kPlain),
                            answer(200, kPlain, newer), answer(200, kPlain, newer)}));
  ControllerClient client({server.url(), {}, {}, {}});
  contracts::SyncRequest request;
  request.process = "process-1";
  request.status.emplace().os = "linux";
  for (int call = 0; call < 3; ++call) EXPECT_TRUE(client.synchronize("n1", request).ok()) << call;
  const auto asked = server.requests();
  ASSERT_EQ(asked.size(), 5u);
  const auto says = [&](size_t i) { return asked[i].body.find("linux") != std::string::npos; };
  EXPECT_TRUE(says(0));
  EXPECT_FALSE(says(1)) << "the same call again, without it";
  EXPECT_FALSE(says(2)) << "it is not asked anew each time";
  EXPECT_FALSE(says(3));
  EXPECT_TRUE(says(4)) << "one that knows it hears it at once";
}

TEST(AgentProtocol, ALaneLeavesOutWhatAnOlderControllerDoesNotKnow) {
  const char* refused = R"({"error":{"code":"UNKNOWN_FIELD","message":"places: unknown field",)"
                        R"("details":{"causes":[{"field":"places","message":"unknown field"}]}}})";
  HttpServer server(script({answer(400, refused), answer(200, "{}"), answer(200, "{}")}));
  ControllerClient client({server.url(), {}, {}, {}});
  contracts::CallsRequest request;
  request.process = "process-1";
  request.places = 32;
  for (int call = 0; call < 2; ++call) EXPECT_TRUE(client.exchange_calls("n1", request).ok());
  const auto asked = server.requests();
  ASSERT_EQ(asked.size(), 3u);
  const auto says = [&](size_t i) { return asked[i].body.find("places") != std::string::npos; };
  EXPECT_TRUE(says(0));
  EXPECT_FALSE(says(1)) << "the same call again, without it";
  EXPECT_FALSE(says(2));
}

TEST(AgentProtocol, WhatARunMayNotDoIsNeverLeftOut) {
  const auto odd = told(kProtocolVersion + 1, kUnknownPolicy);
  ASSERT_FALSE(odd.ok());
  EXPECT_THAT(odd.error().message, AllOf(HasSubstr("denyMore"), HasSubstr("upgrade")));
}

TEST(AgentProtocol, AControllerFurtherApartIsRefusedByName) {
  const auto far = told(kProtocolVersion + 2, kPlain);
  ASSERT_FALSE(far.ok());
  EXPECT_EQ(far.error().reason, contracts::kProtocolMismatch);
}

}  // namespace
}  // namespace paddock::client
