#include "controller/nodes/report_rules.h"

#include <algorithm>
#include <optional>

#include "common/base/text.h"
#include "common/contracts/code_word.h"
#include "common/contracts/tree_path.h"

namespace paddock::nodes {
namespace {

using contracts::Artifact;
using contracts::RunOutcome;

// As it may stand in a list for people: no control characters, and not without end.
std::string harmless(std::string path) {
  std::ranges::replace_if(
      path, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  if (path.size() > 4096) path.resize(utf8_prefix(std::string_view(path).substr(0, 4096)));
  return path;
}

struct Fault {
  Reason reason;
  std::string text;
};

// Why it is no artifact; nothing: it is one.
Result<std::optional<Fault>> fault_of(const Artifact& artifact, const KnownArtifact& known) {
  if (const std::string fault = contracts::tree_path_fault(artifact.path); !fault.empty())
    return std::optional(Fault{"PATH_INVALID", cat("its node named a path that ", fault)});
  ASSIGN_OR_RETURN(const bool sent, known(artifact));
  if (sent) return std::optional<Fault>();
  return std::optional(Fault{kArtifactNotSent, "its node had not sent it for this run"});
}

void fail(RunOutcome& outcome, const std::string& path, const std::string& why) {
  if (outcome.phase != contracts::RunPhase::kSucceeded) return;
  outcome.phase = contracts::RunPhase::kFailed;
  outcome.reason = kArtifactNotSent;
  outcome.message = cat("the command succeeded, but ", path, " is no artifact: ", why);
}

}  // namespace

Status check_output_size(const contracts::SyncRequest& request) {
  size_t bytes = 0;
  for (const contracts::RunReport& report : request.runs) {
    for (const contracts::OutputChunk& chunk : report.output) bytes += chunk.data.size() / 4 * 3;
  }
  if (bytes <= kMostOutputBytes) return {};
  return Error{Code::kTooLarge,
               "OUTPUT_TOO_LARGE",
               cat("a call may carry ", kMostOutputBytes, " bytes of output; send less at once"),
               {{"runs.output", "less at once"}}};
}

void tidy_codes(RunOutcome& outcome) {
  const auto tidy = [](std::string& code) { code = contracts::code_or_invalid(code); };
  tidy(outcome.reason);
  for (contracts::LeftOut& each : outcome.left_out) tidy(each.reason);
  if (!outcome.result) return;
  for (auto* code : {&outcome.result->code, &outcome.result->error_class})
    if (*code) tidy(**code);
  for (auto& [name, each] : outcome.result->enforced) tidy(each.reason);
  for (contracts::NetworkFlow& each : outcome.result->usage.network) tidy(each.reason);
}

Result<size_t> drop_unproven(RunOutcome& outcome, const KnownArtifact& known) {
  std::vector<Artifact> proven;
  size_t dropped = 0;
  for (contracts::LeftOut& each : outcome.left_out) each.path = harmless(std::move(each.path));
  for (Artifact& artifact : outcome.artifacts) {
    ASSIGN_OR_RETURN(const std::optional<Fault> fault, fault_of(artifact, known));
    if (!fault) {
      proven.push_back(std::move(artifact));
      continue;
    }
    ++dropped;
    const std::string path = harmless(std::move(artifact.path));
    fail(outcome, path, fault->text);
    outcome.left_out.push_back({path, fault->text, fault->reason});
  }
  outcome.artifacts = std::move(proven);
  return dropped;
}

}  // namespace paddock::nodes
