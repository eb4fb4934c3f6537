// What a controller, or a port that is none, says of whether it takes work.
#include "cli/client/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contracts/node.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;

TEST(Readiness, IsWhatTheAnswerSays) {
  EXPECT_TRUE(readiness_of(200, contracts::readiness(true)).ok());
  const Status not_ready = readiness_of(503, contracts::readiness(false));
  EXPECT_EQ(not_ready.error().reason, "CONTROLLER_NOT_READY");
  EXPECT_THAT(not_ready.error().message, HasSubstr("503"));
  EXPECT_EQ(readiness_of(502, wire::Value()).error().reason, "CONTROLLER_NOT_READY");
}

TEST(Readiness, KeepsTheErrorThatTheAnswerNames) {
  const Status refused =
      readiness_of(400, *wire::parse_json(R"({"kind":"Status","status":"Failure","code":400,
          "message":"this port speaks TLS: ask by https://","reason":"BadRequest",
          "error":{"code":"TLS_REQUIRED"}})"));
  EXPECT_EQ(refused.error().reason, "TLS_REQUIRED");
  EXPECT_EQ(refused.error().message, "this port speaks TLS: ask by https://");
}

}  // namespace
}  // namespace paddock::cli
