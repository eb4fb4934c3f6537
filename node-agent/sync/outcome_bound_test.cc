#include "node-agent/sync/outcome_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/describe.h"

namespace paddock::sync {
namespace {

using contracts::RunOutcome;
using testing::HasSubstr;
using testing::IsEmpty;

size_t json_bytes(const RunOutcome& outcome) { return wire::encode_json(outcome).size(); }

// 200 of each, with names of some 6,000 bytes of JSON.
RunOutcome long_outcome() {
  RunOutcome out{.phase = contracts::RunPhase::kFailed, .reason = "NonZeroExit", .message = "why"};
  out.artifacts.push_back({"out/a", 1, std::string(64, 'a'), false});
  contracts::SandboxResult& result = out.result.emplace();
  result.rc = 7;
  result.code = "E_CAPABILITY_DENIED";
  for (int i = 0; i < 200; ++i) {
    const std::string name = cat(i, std::string(1'000, '\x01'));
    out.left_out.push_back({name, "a link", "LINK_NOT_FOLLOWED"});
    contracts::Denial& denial = result.denials.emplace_back();
    denial.what = i % 2 == 0 ? "execute" : "open";
    denial.target = name;
    denial.count = 2;
  }
  result.out = result.err = std::string(50'000, '\x01');
  result.cmd = {std::string(300'000, 'c')};
  result.enforced["pids"] = {.requested = 100, .applied = true};
  return out;
}

TEST(OutcomeBound, LeavesWhatFitsAsItIs) {
  const RunOutcome whole = long_outcome();
  EXPECT_EQ(wire::encode_json(cut_to(json_bytes(whole), whole).outcome), wire::encode_json(whole));
}

TEST(OutcomeBound, CutsTheListOfFilesFirstAndSaysHowManyItLacks) {
  RunOutcome whole = long_outcome();
  whole.left_out.push_back({"…", "and 5 more that are not listed", "MORE_LEFT_OUT"});
  const size_t most = json_bytes(whole) - 600'000;
  const RunOutcome cut = cut_to(most, whole).outcome;
  EXPECT_LE(json_bytes(cut), most);
  EXPECT_GT(json_bytes(cut), most - 30'000) << "and no more than it has to";
  const size_t lacks = whole.left_out.size() + 1 - cut.left_out.size();
  EXPECT_EQ(cut.left_out.back().reason, "MORE_LEFT_OUT");
  EXPECT_THAT(cut.left_out.back().rule, HasSubstr(cat("and ", lacks, " ")));
  EXPECT_EQ(cut.result->denials.size(), 200u);
  EXPECT_EQ(cut.result->out, whole.result->out);
}

TEST(OutcomeBound, ThenDenialsWhichAreCountedByKind) {
  const RunOutcome whole = long_outcome();
  const size_t most = json_bytes(whole) - 1'800'000;
  const RunOutcome cut = cut_to(most, whole).outcome;
  EXPECT_LE(json_bytes(cut), most);
  EXPECT_EQ(cut.left_out.size(), 1u);
  int64_t count = 0;
  for (const contracts::Denial& each : cut.result->denials) count += each.count;
  EXPECT_EQ(count, 400);
  EXPECT_EQ(cut.result->denials.back().target, "others");
  EXPECT_FALSE(cut.result->truncated.out);
}

TEST(OutcomeBound, AtLastAllButHowItEndedAndItsArtifacts) {
  RunOutcome whole = long_outcome();
  EXPECT_EQ(cut_to(400'000, whole).outcome.result->cmd, whole.result->cmd);
  whole.message = whole.result->reason = std::string(100'000, 'm');
  const RunOutcome cut = cut_to(20'000, whole).outcome;
  EXPECT_LE(json_bytes(cut), 20'000u);
  EXPECT_TRUE(cut.result->truncated.out && cut.result->truncated.err);
  EXPECT_THAT(cut.result->cmd, IsEmpty());
  EXPECT_EQ(cut.reason, "NonZeroExit");
  EXPECT_EQ(cut.result->rc, 7);
  EXPECT_EQ(cut.result->code, "E_CAPABILITY_DENIED");
  EXPECT_EQ(cut.artifacts.size(), 1u);
}

}  // namespace
}  // namespace paddock::sync
