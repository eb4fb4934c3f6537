// When the agent calls, for how long, and what a failed call means.
#include <algorithm>

#include "node-agent/sync/sync_core_fixture.h"

namespace paddock::sync {
namespace {

using contracts::RunPhase;
using contracts::SyncAnswer;
using testing::IsEmpty;

TEST_F(Core, AHeldCallIsShorterThanTheLeaseAndNamesTheVersionItKnows) {
  SyncAnswer said = says({});
  said.lease_ms = 6'000;
  answer(report(), said);
  const Call call = hold();
  EXPECT_EQ(call.request.wait_ms, 4'000);
  EXPECT_EQ(call.request.known_version, said.version);
  EXPECT_THAT(call.request.runs, IsEmpty());
}

TEST_F(Core, TheFirstCallOfASessionKnowsNoVersion) {
  EXPECT_EQ(report().request.known_version, "");
  EXPECT_EQ(report().request.labels.at("rack"), "a");
}

TEST_F(Core, AMeasurementGoesAlongOnceAndIsNoReasonForACall) {
  exchange({assignment("a")});
  contracts::UsageReport usage;
  usage.node.cpu_milli = 250;
  const bool news = core.has_news();
  core.set_usage(usage);
  EXPECT_EQ(core.has_news(), news);
  EXPECT_EQ(hold().request.usage->node.cpu_milli, 250);
  EXPECT_FALSE(hold().request.usage) << "it was told";
}

TEST_F(Core, AControllerThatTakesNothingIsNotHammered) {
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 3);
  exchange({assignment("a", 1, 0)});
  EXPECT_GT(core.not_before(Lane::kReport), clock.mono());
  exchange({assignment("a", 1, 3)});
  EXPECT_EQ(core.not_before(Lane::kReport), clock.mono());
}

TEST_F(Core, AHeldCallThatComesBackUnchangedAtOnceIsNotRepeatedAtOnce) {
  const SyncAnswer said = says({});
  answer(report(), said);
  answer(hold(), said);
  EXPECT_GT(core.not_before(Lane::kHold), clock.mono());
  const Call call = hold();
  clock.advance(Millis(5'000));
  answer(call, said);
  EXPECT_EQ(core.not_before(Lane::kHold), clock.mono());
}

TEST_F(Core, FailuresBackOffAndASuccessForgivesThem) {
  const Error down{Code::kUnavailable, "CONNECTION_BROKEN", "gone"};
  Millis longest{0};
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(core.failed(report(), down, clock.mono(), random).verdict, Verdict::kRetry);
    longest = std::max(longest, core.not_before(Lane::kReport) - clock.mono());
  }
  EXPECT_GE(longest, Millis(2'500));
  EXPECT_LE(longest, Millis(5'000));
  exchange({});
  EXPECT_EQ(core.not_before(Lane::kReport), clock.mono());
}

TEST_F(Core, ASupersededSessionStops) {
  const Error error{Code::kConflict, "SESSION_SUPERSEDED", "a newer agent took over"};
  EXPECT_EQ(core.failed(report(), error, clock.mono(), random).verdict, Verdict::kStop);
}

TEST_F(Core, AnUnknownCredentialAsksForEnrolmentButADistrustedServerDoesNot) {
  EXPECT_EQ(core.failed(report(), Error{Code::kUnauthenticated, "TOKEN_UNKNOWN", ""}, clock.mono(),
                        random)
                .verdict,
            Verdict::kEnroll);
  for (const Reason& distrusted :
       {Reason("SERVER_NOT_TRUSTED"), Reason("CERTIFICATE_NOT_VALID_NOW")}) {
    EXPECT_EQ(
        core.failed(report(), Error{Code::kUnauthenticated, distrusted, ""}, clock.mono(), random)
            .verdict,
        Verdict::kRetry)
        << distrusted.text();
  }
}

}  // namespace
}  // namespace paddock::sync
