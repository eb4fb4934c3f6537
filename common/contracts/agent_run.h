// Runs of type `agent`: a long-lived program whose standard output is lines of stream-json, and to
// which answers go by its standard input. A line with a `tool_use` makes that id pending; an answer
// is taken for a pending id only, once, and becomes one line of input.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

// A tool that the program asked for and nobody has answered yet.
struct PendingToolUse {
  std::string id;
  std::string name;
  static constexpr auto describe(auto&& visit) {
    return visit(field("id", &PendingToolUse::id, "the id by which the answer names this tool use",
                       {.required = true}),
                 field("name", &PendingToolUse::name, "the tool's name", {.omit_empty = true}));
  }
  friend bool operator==(const PendingToolUse&, const PendingToolUse&) = default;
};
inline constexpr size_t kMostPendingToolUses = 256;
inline constexpr size_t kLongestToolUseId = 256;

// A line for a run's standard input. `seq` counts from 1 within an attempt and never skips.
struct RunInput {
  int64_t seq = 0;
  std::string data;  // with its newline
  static constexpr auto describe(auto&& visit) {
    return visit(field("seq", &RunInput::seq, "position", {.required = true, .min = 1}),
                 field("data", &RunInput::data, "one line of JSON", {.required = true}));
  }
};

// POST runs/{name}/tool-results.
struct ToolResult {
  std::string tool_use_id;
  wire::Value content;
  bool is_error = false;
  std::optional<std::string> run_id;  // if it is there, it is the run of the path
};
// InvalidArgument (BAD_REQUEST) with the message of the contract.
Result<ToolResult> decode_tool_result(const wire::Value& body);
// The user message that goes to the program, with its newline.
std::string tool_result_line(const ToolResult& result);

// The tool uses that one line of the program's output asks for. A line that is not such a message
// is output like any other.
std::vector<PendingToolUse> tool_uses_in(std::string_view line);

}  // namespace paddock::contracts
