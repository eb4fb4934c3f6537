// Turns a sandbox's result into the answers for the clients of POST /execute and for the
// controller. Pure.
#pragma once

#include "common/contracts/snippet_report.h"

namespace paddock::snippets {

contracts::ExecuteAnswer answer_of(contracts::SandboxResult result);
contracts::SnippetReport report_of(contracts::SandboxResult result, bool warm);

}  // namespace paddock::snippets
