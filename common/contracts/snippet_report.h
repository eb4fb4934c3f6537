// What a node says of a snippet: the caller's answer, and what the controller writes down of it.
#pragma once

#include <optional>

#include "common/contracts/execute.h"
#include "common/contracts/sandbox_result.h"

namespace paddock::contracts {

struct SnippetReport {
  ExecuteAnswer answer;
  std::optional<SandboxResult> result;  // without output; absent: it never reached a sandbox
  bool warm = false;                    // an interpreter waited for it
  static constexpr auto describe(auto&& visit) {
    return visit(field("answer", &SnippetReport::answer, "the caller's", {.required = true}),
                 field("result", &SnippetReport::result, "how its sandbox ended"),
                 field("warm", &SnippetReport::warm, "an interpreter waited for it"));
  }
};

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::SnippetReport);
