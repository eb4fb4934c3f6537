// An export of the audit log: a line of JSON for the anchor, one for each record, and the
// checkpoint of its end. So a file proves what the controller would, without it. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/audit_chain/chain.h"
#include "common/audit_chain/checkpoint.h"

namespace paddock::audit_chain {

// Each ends with a newline.
std::string first_line(const ChainPlace& anchor);
std::string record_line(const ChainedRecord& record);
std::string last_line(const wire::Value& checkpoint);

struct ExportVerdict {
  Verdict chain;
  Checkpoint end;  // of the last record, by one of the keys
};

// The next line without its newline; nothing at the end.
using NextLine = std::function<Result<std::optional<std::string>>()>;
// As Verifier, with these places expected beside the file's own checkpoint. AUDIT_EXPORT_MALFORMED
// with the line's number, AUDIT_EXPORT_CUT; as open_checkpoint(). AUDIT_RECORD_MISSING,
// AUDIT_ANCHOR_WRONG: it does not begin where its checkpoint says.
Result<ExportVerdict> verify_export(const NextLine& next_line,
                                    const std::vector<std::string>& public_pems,
                                    const std::vector<ChainPlace>& expected);

}  // namespace paddock::audit_chain
