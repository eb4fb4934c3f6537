#include "common/audit_chain/chain.h"

#include "common/base/text.h"
#include "common/crypto/digest.h"

namespace paddock::audit_chain {
namespace {

constexpr size_t kMostRestored = 16;

Error fault(Reason reason, std::string message) {
  return {Code::kFailedPrecondition, reason, std::move(message)};
}

// From a number to a higher one; a forged one may be as far away as numbers go.
uint64_t distance(int64_t before, int64_t after) {
  return static_cast<uint64_t>(after) - static_cast<uint64_t>(before);
}

// Numbers follow one another, but for a backup that was put back.
bool may_follow(int64_t before, int64_t id) {
  return (distance(before, id) - 1) % static_cast<uint64_t>(kRestoreGap) == 0;
}

std::string numbers(int64_t first, int64_t last) {
  return first == last ? cat("record ", first, " is")
                       : cat("records ", first, " to ", last, " are");
}

Error unlinked(const ChainPlace& before, const ChainPlace& anchor, int64_t id) {
  if (before == anchor && (anchor.id != 0 || anchor.hash != contracts::kNoLink))
    return fault("AUDIT_ANCHOR_WRONG", cat("record ", id, " does not follow record ", anchor.id,
                                           ", the last one that was forgotten: the record or what "
                                           "the store keeps of the forgotten one was changed"));
  return fault("AUDIT_RECORD_CHANGED",
               cat("record ", id, " is not what was written behind record ", before.id,
                   ": one of the two was changed, or it was put there"));
}

// The fault of a record, judged by the one before it.
std::optional<Error> fault_of(const ChainPlace& before, const ChainPlace& anchor,
                              const ChainedRecord& record) {
  if (record.id <= before.id)
    return fault("AUDIT_RECORD_MISPLACED",
                 cat("record ", record.id, " stands behind record ", before.id));
  if (!may_follow(before.id, record.id))
    return fault("AUDIT_RECORD_MISSING",
                 cat(numbers(before.id + 1, record.id - 1), " missing behind record ", before.id));
  if (link(before.hash, record.id, record.record) != record.hash)
    return unlinked(before, anchor, record.id);
  if (record.misfiled)
    return fault("AUDIT_RECORD_MISFILED",
                 cat("record ", record.id,
                     " is as it was written, but searches do not find it by what it says: its "
                     "columns in the store were changed"));
  return std::nullopt;
}

}  // namespace

std::string link(std::string_view before, int64_t id, std::string_view record) {
  return crypto::sha256_hex(cat("paddock audit 1\n", before, "\n", id, "\n", record));
}

Verifier::Verifier(ChainPlace anchor) : anchor_(std::move(anchor)), last_(anchor_) {
  if (anchor_.id < 0 || (anchor_.id == 0 && anchor_.hash != contracts::kNoLink))
    note(fault("AUDIT_ANCHOR_WRONG",
               cat("what the store keeps of the records that it forgot names record ", anchor_.id,
                   ", which there was never")));
}

void Verifier::note(std::optional<Error> fault) {
  if (!fault) return;
  ++faults_;
  if (!first_) first_ = std::move(fault);
}

void Verifier::compare(const ChainPlace& place) {
  for (Expected& each : expected_) {
    if (each.place.id != place.id) continue;
    each.seen = true;
    if (each.place.hash == place.hash) continue;
    note(fault("AUDIT_CHECKPOINT_DIFFERS",
               cat("record ", place.id,
                   " or one before it is not what the checkpoint was made of: they were written "
                   "anew since")));
  }
}

void Verifier::expect(ChainPlace place) {
  expected_.push_back({std::move(place)});
  compare(last_);
}

// After a fault it goes on from what the record says of itself, so that each fault counts once.
void Verifier::take(const ChainedRecord& record) {
  std::optional<Error> found = fault_of(last_, anchor_, record);
  const bool in_order = record.id > last_.id;
  if (in_order && !found)
    note_restored(distance(last_.id, record.id) > static_cast<uint64_t>(kRestoreGap));
  note(std::move(found));
  ++records_;
  if (!in_order) return;
  last_ = {record.id, record.hash};
  compare(last_);
}

void Verifier::note_restored(bool gap) {
  if (gap && restored_.size() < kMostRestored) restored_.push_back(last_.id);
}

void Verifier::end_at(int64_t last_given) {
  if (last_given < last_.id) {
    note(fault("AUDIT_RECORD_MISPLACED", cat("record ", last_.id,
                                             " has a number that was never "
                                             "given out; the highest was ",
                                             last_given)));
  } else if (distance(last_.id, last_given) % static_cast<uint64_t>(kRestoreGap) != 0) {
    note(fault("AUDIT_END_MISSING", cat(numbers(last_.id + 1, last_given), " missing at the end")));
  } else {
    note_restored(last_given > last_.id);
  }
}

Result<Verdict> Verifier::finish() {
  for (const Expected& each : expected_) {
    if (each.seen) continue;
    if (each.place.id < anchor_.id) {
      note(fault("AUDIT_CHECKPOINT_PRUNED",
                 cat("record ", each.place.id, " of the checkpoint was forgotten since, as all to ",
                     anchor_.id, " were")));
    } else {
      note(fault("AUDIT_CHECKPOINT_MISSING",
                 cat("record ", each.place.id, " of the checkpoint is not there; the last one is ",
                     last_.id)));
    }
  }
  // Pruning leaves the newest; only a release that wrote no links forgot all of them.
  if (records_ == 0 && anchor_.id > 0 && anchor_.hash != contracts::kNoLink)
    note(fault("AUDIT_RECORD_MISSING",
               cat("record ", anchor_.id,
                   " is missing: the newest is never forgotten, and none is behind it")));
  if (!first_) return Verdict{anchor_, last_, records_, restored_};
  Error out = *first_;
  if (faults_ > 1)
    out.message +=
        cat("; and ", faults_ - 1, faults_ == 2 ? " more fault" : " more faults", " behind it");
  return out;
}

}  // namespace paddock::audit_chain
