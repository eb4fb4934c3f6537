// What was done to a chain, and what is said of it.
#include "common/audit_chain/chain.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "common/audit_chain/chain_test_support.h"
#include "common/base/text.h"

namespace paddock::audit_chain {
namespace {

std::string said(const Chain& chain, int64_t last_given,
                 const std::optional<ChainPlace>& expected = {}) {
  Verifier verifier(chain.anchor);
  if (expected) verifier.expect(*expected);
  for (const ChainedRecord& record : chain.records) verifier.take(record);
  verifier.end_at(last_given);
  const Result<Verdict> verdict = verifier.finish();
  return verdict.ok() ? cat("holds to ", verdict->last.id)
                      : cat(verdict.error().reason.text(), ": ", verdict.error().message);
}

TEST(Chain, HoldsAsItWasWritten) {
  EXPECT_EQ(said(make_chain(0), 0), "holds to 0");
  EXPECT_EQ(said(make_chain(5), 5), "holds to 5");
  EXPECT_EQ(said(behind(make_chain(5), 3), 5), "holds to 5") << "the oldest were forgotten";
}

TEST(Chain, TheNewestIsNeverForgotten) {
  EXPECT_EQ(said(behind(make_chain(5), 5), 5).substr(0, 30), "AUDIT_RECORD_MISSING: record 5");
  EXPECT_EQ(said({{5, contracts::kNoLink}, {}}, 5), "holds to 5")
      << "but by a release that wrote no links";
}

// So that files of this release are verified by every later one.
TEST(Chain, LinksAreWhatTheyWere) {
  EXPECT_EQ(link(contracts::kNoLink, 1, R"({"id":0,"type":"object.create"})"),
            "c2b3fa56211aa29e615efaedcb3f4da761cbcbfee9ac4ec98fce7b0564445c69");
}

TEST(Chain, TheBytesCountAndNotWhatTheyMean) {
  Chain chain = make_chain(3);
  EXPECT_EQ(said(chain, 3), "holds to 3");
  chain.records[1].record += " ";
  EXPECT_NE(said(chain, 3), "holds to 3");
}

struct Damage {
  const char* what;
  std::function<void(Chain&)> make;
  const char* said;
};

class Damaged : public testing::TestWithParam<Damage> {};

// The reason and the records that are named, in their order.
std::string reason_and_numbers(const std::string& said) {
  std::string out = said.substr(0, said.find(':'));
  for (size_t at = said.find_first_of("0123456789"); at != std::string::npos;) {
    const size_t end = std::min(said.find_first_not_of("0123456789", at), said.size());
    out += " " + said.substr(at, end - at);
    at = said.find_first_of("0123456789", end);
  }
  return out;
}

TEST_P(Damaged, IsFoundWithTheRecordsNumber) {
  Chain chain = behind(make_chain(9), 2);
  GetParam().make(chain);
  const std::string found = reason_and_numbers(said(chain, 9));
  EXPECT_EQ(found.substr(0, std::string_view(GetParam().said).size()), GetParam().said)
      << said(chain, 9);
}

const Damage kDamages[] = {
    {"one byte", [](Chain& c) { c.records[2].record[3] ^= 1; }, "AUDIT_RECORD_CHANGED 5 4"},
    {"a link", [](Chain& c) { c.records[2].hash[3] = c.records[2].hash[3] == 'a' ? 'b' : 'a'; },
     "AUDIT_RECORD_CHANGED 5"},
    {"record and link",
     [](Chain& c) {
       c.records[2].record = "{}";
       c.records[2].hash = link(c.records[1].hash, 5, "{}");
     },
     "AUDIT_RECORD_CHANGED 6 5"},
    {"one is gone", [](Chain& c) { c.records.erase(c.records.begin() + 2); },
     "AUDIT_RECORD_MISSING 5 4"},
    {"two are gone",
     [](Chain& c) { c.records.erase(c.records.begin() + 2, c.records.begin() + 4); },
     "AUDIT_RECORD_MISSING 5 6 4"},
    {"the content of two swapped",
     [](Chain& c) { std::swap(c.records[2].record, c.records[4].record); },
     "AUDIT_RECORD_CHANGED 5"},
    {"two lines swapped", [](Chain& c) { std::swap(c.records[2], c.records[3]); },
     "AUDIT_RECORD_MISSING 5 4"},
    {"a line again", [](Chain& c) { c.records.insert(c.records.begin() + 2, c.records[1]); },
     "AUDIT_RECORD_MISPLACED 4 4"},
    {"one put in between, the others moved on",
     [](Chain& c) {
       for (size_t i = 2; i < c.records.size(); ++i) ++c.records[i].id;
       c.records.insert(c.records.begin() + 2, {5, link(c.records[1].hash, 5, "{}"), "{}"});
     },
     "AUDIT_RECORD_CHANGED 6"},
    {"the newest are gone", [](Chain& c) { c.records.resize(5); }, "AUDIT_END_MISSING 8 9"},
    {"all are gone", [](Chain& c) { c.records.clear(); }, "AUDIT_END_MISSING 3 9"},
    {"one that was never given out",
     [](Chain& c) {
       c.records.push_back({10, link(c.records.back().hash, 10, "{}"), "{}"});
     },
     "AUDIT_RECORD_MISPLACED 10"},
    {"the oldest are gone", [](Chain& c) { c.records.erase(c.records.begin()); },
     "AUDIT_RECORD_MISSING 3 2"},
    {"another anchor",
     [](Chain& c) {
       c.anchor = {3, c.anchor.hash};
     },
     "AUDIT_RECORD_MISPLACED 3 3"},
    {"another anchor's link", [](Chain& c) { c.anchor.hash = c.records[4].hash; },
     "AUDIT_ANCHOR_WRONG 3 2"},
    {"an anchor that is none",
     [](Chain& c) {
       c.anchor = {0, "nonsense"};
     },
     "AUDIT_ANCHOR_WRONG"},
    {"an anchor below all", [](Chain& c) { c.anchor.id = INT64_MIN; }, "AUDIT_ANCHOR_WRONG"},
    {"a record beyond all numbers", [](Chain& c) { c.records.back().id = INT64_MAX; },
     "AUDIT_RECORD_MISSING 9 9223372036854775806"},
    {"columns", [](Chain& c) { c.records[2].misfiled = true; }, "AUDIT_RECORD_MISFILED 5"},
};
INSTANTIATE_TEST_SUITE_P(Each, Damaged, testing::ValuesIn(kDamages));

TEST(Chain, EachFaultCountsOnce) {
  Chain chain = make_chain(9);
  chain.records[2].record = "{}";
  chain.records[6].record = "{}";
  EXPECT_TRUE(said(chain, 9).find(" 1 more fault") != std::string::npos) << said(chain, 9);
}

TEST(Chain, ABackupThatWasPutBackIsTold) {
  Chain chain = make_chain(3);
  append(chain, 3 + kRestoreGap + 1, "{}");
  append(chain, 3 + kRestoreGap + 2, "{}");
  Verifier verifier(chain.anchor);
  for (const ChainedRecord& record : chain.records) verifier.take(record);
  verifier.end_at(chain.records.back().id);
  EXPECT_EQ(verifier.finish()->restored, std::vector<int64_t>{3});
  EXPECT_EQ(said(make_chain(3), 3 + kRestoreGap), "holds to 3") << "nothing was written since";
  Verifier before(make_chain(3).anchor);
  for (const ChainedRecord& record : make_chain(3).records) before.take(record);
  before.end_at(3 + kRestoreGap);
  EXPECT_EQ(before.finish()->restored, std::vector<int64_t>{3}) << "and it is told all the same";
  EXPECT_EQ(said(make_chain(3), 4 + kRestoreGap).substr(0, 17), "AUDIT_END_MISSING");
}

// What somebody kept elsewhere shows what the chain alone cannot.
TEST(Chain, ACheckpointHoldsAllBeforeIt) {
  const Chain chain = make_chain(9);
  const ChainPlace kept{6, chain.records[5].hash};
  EXPECT_EQ(said(chain, 9, kept), "holds to 9");
  EXPECT_EQ(said(behind(chain, 6), 9, kept), "holds to 9") << "it is the anchor itself";
  EXPECT_EQ(said(behind(chain, 7), 9, kept).substr(0, 23), "AUDIT_CHECKPOINT_PRUNED");
  Chain anew = make_chain(9, "another past");
  EXPECT_EQ(said(anew, 9), "holds to 9") << "by itself it looks like any other";
  EXPECT_EQ(said(anew, 9, kept).substr(0, 34), "AUDIT_CHECKPOINT_DIFFERS: record 6");
  Chain cut = make_chain(5);
  EXPECT_EQ(said(cut, 5), "holds to 5");
  EXPECT_EQ(said(cut, 5, kept).substr(0, 34), "AUDIT_CHECKPOINT_MISSING: record 6");
}

}  // namespace
}  // namespace paddock::audit_chain
