// What a sandbox's result is to the clients of POST /execute, and to the controller. Pure.
#pragma once

#include "common/contracts/snippet_report.h"

namespace paddock::snippets {

contracts::ExecuteAnswer answer_of(contracts::SandboxResult result);
contracts::SnippetReport report_of(contracts::SandboxResult result, bool warm);

}  // namespace paddock::snippets
