// A receipt in a few lines for people. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::cli {

// One thing that a run gave: `output/stdout`, `artifacts/PATH`.
struct ReceiptSubject {
  std::string name;
  std::string sha256;
};
// Reads a statement whose signature is good. RECEIPT_MALFORMED: it does not describe a run.
Result<std::vector<ReceiptSubject>> receipt_subjects(const wire::Value& statement);

// A receipt for people: who ran what, where and when; how it ended; which limits were not enforced,
// and what was denied.
std::string receipt_text(const wire::Value& statement);

}  // namespace paddock::cli
