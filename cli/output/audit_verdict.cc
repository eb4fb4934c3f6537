#include "cli/output/audit_verdict.h"

#include "common/base/text.h"

namespace paddock::cli {
namespace {

using audit_chain::Checkpoint;
using audit_chain::Verdict;

std::string what_holds(const Verdict& verdict) {
  if (verdict.records == 0) return "the audit log has no records\n";
  return cat(verdict.records, verdict.records == 1 ? " record" : " records", ", the last one is ",
             verdict.last.id, ": each is as it was written, behind the one before it\n");
}

// Whether it was time for them nobody can tell from here.
std::string forgotten(int64_t to, const std::optional<Checkpoint>& end) {
  if (to == 0) return "";
  if (end && !end->forgotten)
    return cat("unsigned   the export's beginning: its checkpoint does not say that all to record ",
               to, " were forgotten, so they may have been cut off\n");
  return cat("forgotten  all to record ", to,
             end ? ", as the controller signed\n" : ", as the controller says\n");
}

std::string signature(const Checkpoint& checkpoint) {
  return cat("signed     record ", checkpoint.place.id, " and all before it, at ",
             format_time(checkpoint.time), " by ", checkpoint.key_id, "\n");
}

std::string forgotten_since(const Checkpoint& checkpoint, int64_t to) {
  if (!checkpoint.forgotten || checkpoint.forgotten->id >= to) return "";
  const int64_t first = checkpoint.forgotten->id + 1;
  const std::string records =
      first == to ? cat("record ", to, " was") : cat("records ", first, " to ", to, " were");
  return cat("           ", records, " forgotten since that checkpoint\n");
}

}  // namespace

std::string verdict_text(const Verdict& verdict, const std::vector<Checkpoint>& kept,
                         const std::optional<Checkpoint>& end) {
  std::string text = cat(what_holds(verdict), forgotten(verdict.anchor.id, end));
  for (const int64_t id : verdict.restored)
    text += cat("restored   a backup was put back behind record ", id, "\n");
  for (const Checkpoint& each : kept)
    text += cat(signature(each), forgotten_since(each, verdict.anchor.id));
  return end ? cat(text, signature(*end)) : text;
}

}  // namespace paddock::cli
