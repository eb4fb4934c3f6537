#include "cli/output/audit_verdict.h"

#include "common/base/text.h"

namespace paddock::cli {

std::string verdict_text(const audit_chain::Verdict& verdict,
                         const std::vector<audit_chain::Checkpoint>& checkpoints) {
  std::string text = verdict.records == 0
                         ? std::string("the audit log has no records\n")
                         : cat(verdict.records, verdict.records == 1 ? " record" : " records",
                               ", the last one is ", verdict.last.id,
                               ": each is as it was written, behind the one before it\n");
  if (verdict.anchor.id > 0)
    text += cat("forgotten  all to record ", verdict.anchor.id, ", when their time was over\n");
  for (const int64_t id : verdict.restored)
    text += cat("restored   a backup was put back behind record ", id, "\n");
  for (const audit_chain::Checkpoint& each : checkpoints)
    text += cat("signed     record ", each.place.id, " and all before it, at ",
                format_time(each.time), " by ", each.key_id, "\n");
  return text;
}

}  // namespace paddock::cli
