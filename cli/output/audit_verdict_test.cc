// What is said of the beginning of a log, of which the oldest records may be gone.
#include "cli/output/audit_verdict.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

using audit_chain::ChainPlace;
using audit_chain::Checkpoint;
using audit_chain::Verdict;

Verdict behind(int64_t id) {
  return {{id, std::string(64, 'a')}, {9, std::string(64, 'b')}, 9 - id, {}};
}

Checkpoint of(int64_t id, std::optional<int64_t> forgotten) {
  Checkpoint out{{id, std::string(64, 'b')}, WallTime{0}, {}, "key"};
  if (forgotten) out.forgotten = ChainPlace{*forgotten, std::string(64, 'a')};
  return out;
}

bool says(const std::string& text, std::string_view line) {
  return cat("\n", text).find(cat("\n", line)) != std::string::npos;
}

TEST(AuditVerdict, SaysWhoseWordTheBeginningIs) {
  EXPECT_TRUE(
      says(verdict_text(behind(4), {}), "forgotten  all to record 4, as the controller says\n"));
  EXPECT_TRUE(says(verdict_text(behind(4), {}, of(9, 4)),
                   "forgotten  all to record 4, as the controller signed\n"));
  EXPECT_TRUE(says(verdict_text(behind(4), {}, of(9, {})), "unsigned   the export's beginning"));
  for (const auto& end : {of(9, 0), of(9, {})}) {
    EXPECT_FALSE(says(verdict_text(behind(0), {}, end), "forgotten"));
    EXPECT_FALSE(says(verdict_text(behind(0), {}, end), "unsigned")) << "the first one is there";
  }
}

TEST(AuditVerdict, SaysWhatWasForgottenSinceACheckpoint) {
  EXPECT_TRUE(says(verdict_text(behind(4), {of(7, 1)}, of(9, 4)),
                   "           records 2 to 4 were forgotten since that checkpoint\nsigned "));
  EXPECT_TRUE(says(verdict_text(behind(4), {of(7, 3)}),
                   "           record 4 was forgotten since that checkpoint\n"));
  for (const auto& kept : {of(7, 4), of(7, 5), of(7, {})})
    EXPECT_FALSE(says(verdict_text(behind(4), {kept}), "           record"));
}

}  // namespace
}  // namespace paddock::cli
