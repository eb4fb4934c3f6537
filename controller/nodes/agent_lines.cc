#include "controller/nodes/agent_lines.h"

#include <algorithm>

namespace paddock::nodes {

namespace {

using contracts::PendingToolUse;
using contracts::Run;

constexpr size_t kLongestLine = size_t{1} << 20;
// Stands for the start of a line that is too long: no JSON starts with it.
constexpr char kTooLong = '\0';

bool is_pending(const Run& run, const std::string& id) {
  return std::ranges::find(run.status.pending_tool_uses, id, &PendingToolUse::id) !=
         run.status.pending_tool_uses.end();
}

Status take_line(store::WriteTxn& txn, Run& run, std::string_view line) {
  for (PendingToolUse& use : contracts::tool_uses_in(line)) {
    if (is_pending(run, use.id)) continue;
    if (run.status.pending_tool_uses.size() >= contracts::kMostPendingToolUses) continue;
    ASSIGN_OR_RETURN(const bool answered,
                     txn.was_answered(run.metadata.uid, run.status.attempt, use.id));
    if (!answered) run.status.pending_tool_uses.push_back(std::move(use));
  }
  return {};
}

void append_bounded(std::string& line, std::string_view piece) {
  const bool over = line.starts_with(kTooLong) || line.size() + piece.size() > kLongestLine;
  if (over) {
    line.assign(1, kTooLong);
  } else {
    line += piece;
  }
}

}  // namespace

Status take_agent_output(store::WriteTxn& txn, Run& run, const runs::Events& output) {
  if (run.spec.type != contracts::RunType::kAgent) return {};
  ASSIGN_OR_RETURN(std::string line, txn.open_line(run.metadata.uid, run.status.attempt));
  const std::string before = line;
  for (const contracts::RunEvent& event : output) {
    if (event.type != contracts::kEventStdout) continue;
    std::string_view rest = event.data;
    for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      append_bounded(line, rest.substr(0, end));
      TRY(take_line(txn, run, line));
      line.clear();
      rest.remove_prefix(end + 1);
    }
    append_bounded(line, rest);
  }
  if (line == before) return {};
  return txn.put_open_line(run.metadata.uid, run.status.attempt, line);
}

}  // namespace paddock::nodes
