// The audit log as a chain: each record has a link, the digest of the link before it, of its number
// and of its own bytes as they are stored. So anyone who knows one link knows whether anything
// before it was changed since. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/contracts/audit_chain.h"

namespace paddock::audit_chain {

using contracts::ChainedRecord;
using contracts::ChainPlace;

// Numbers go on so far above those of a backup that was put back.
inline constexpr int64_t kRestoreGap = 1'000'000'000;

// The link of a record: of its bytes, never of what they mean, so that fields of a later release
// change nothing.
std::string link(std::string_view before, int64_t id, std::string_view record);

// The result for a chain that holds.
struct Verdict {
  ChainPlace anchor;              // all before it was forgotten
  ChainPlace last;                // the newest record, or the anchor
  int64_t records = 0;            // from the anchor to the last
  std::vector<int64_t> restored;  // behind these a backup was put back; of many the first ones
};

// Is given the records behind an anchor, one after another. AUDIT_RECORD_CHANGED,
// AUDIT_RECORD_MISSING, AUDIT_RECORD_MISPLACED, AUDIT_RECORD_MISFILED, AUDIT_ANCHOR_WRONG.
class Verifier {
 public:
  explicit Verifier(ChainPlace anchor);

  // The chain must hold this place as well: what a checkpoint says. Before the first record.
  void expect(ChainPlace place);
  void take(const ChainedRecord& record);
  // Checks that nothing behind the last record was taken away: AUDIT_END_MISSING.
  void end_at(int64_t last_given);
  const ChainPlace& last() const { return last_; }
  // The first fault, and how many more there are. AUDIT_CHECKPOINT_DIFFERS,
  // AUDIT_CHECKPOINT_MISSING, AUDIT_CHECKPOINT_PRUNED: of a place that was expected.
  Result<Verdict> finish();

 private:
  void note(std::optional<Error> fault);
  void compare(const ChainPlace& place);
  void note_restored(bool gap);

  const ChainPlace anchor_;
  ChainPlace last_;
  int64_t records_ = 0;
  std::vector<int64_t> restored_;
  struct Expected {
    ChainPlace place;
    bool seen = false;
  };
  std::vector<Expected> expected_;
  std::optional<Error> first_;
  int64_t faults_ = 0;
};

}  // namespace paddock::audit_chain
