#include "cli/output/run_report.h"

#include <algorithm>

#include "cli/terminal/elapsed.h"
#include "cli/terminal/table.h"
#include "common/contracts/limit_field.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

std::string requested_text(const wire::Value& value) {
  if (value.is_null()) return "-";
  if (const auto* text = value.string()) return *text;
  return wire::to_json(value);
}

// Wall time of the command; without a result the time between start and end.
std::string took(const contracts::RunStatus& status) {
  if (status.result) return elapsed_text(Millis(status.result->duration_ms));
  if (status.started_at && status.finished_at) {
    return elapsed_text(status.finished_at->value - status.started_at->value);
  }
  return "";
}

std::string tests_text(const contracts::TestCounts& tests) {
  std::string out = cat(", ", tests.collected,
                        tests.collected == 1 ? " test: " : " tests: ", tests.passed, " passed");
  if (tests.failed > 0) out += cat(", ", tests.failed, " failed");
  if (tests.skipped > 0) out += cat(", ", tests.skipped, " skipped");
  return out;
}

bool lacks_something(const contracts::SandboxResult& result) {
  return std::ranges::any_of(result.enforced, [](const auto& entry) {
    return !entry.second.applied && !entry.second.requested.is_null();
  });
}

constexpr size_t kFewNames = 3;

std::string place_of(const CameBack& back, const contracts::Artifact& artifact) {
  return printable(os::join_path(back.folder, artifact.path));
}

// Where a name is misspelt, nothing else says that the results are lost.
std::string nothing_came_back(const CameBack& back) {
  if (back.asked.empty() || !back.left_out.empty()) return "";
  const bool pattern = std::ranges::any_of(
      back.asked, [](const auto& dir) { return dir.find_first_of("*?[") != std::string::npos; });
  return cat("artifacts: none: when it ended, there was no file in ",
             printable(join(back.asked, ", ")),
             pattern ? " (--artifact-dir names a folder; it knows no patterns)" : "", "\n");
}

// Their count, and with `verbose` all of them.
std::string artifacts_text(const CameBack& back, bool verbose) {
  if (back.artifacts.empty()) return nothing_came_back(back);
  int64_t bytes = 0;
  std::string lines;
  for (const contracts::Artifact& each : back.artifacts) {
    bytes += each.size;
    if (verbose) lines += cat("  ", place_of(back, each), "  ", format_bytes(each.size), "\n");
  }
  const size_t files = back.artifacts.size();
  return cat("artifacts: ", files, files == 1 ? " file, " : " files, ", format_bytes(bytes),
             back.succeeded ? "" : ", of a run that did not succeed", "\n", lines);
}

}  // namespace

std::string enforced_text(const contracts::SandboxResult& result, const std::string& indent) {
  if (result.enforced.empty()) return "";
  Table table{{"CAPABILITY", "REQUESTED", "APPLIED", "LEVEL", "MECHANISM"}, {}};
  for (const auto& [name, entry] : result.enforced) {
    table.rows.push_back({name, shorten(printable(requested_text(entry.requested)), 40),
                          entry.applied ? "yes" : "no", std::string(wire::enum_name(entry.level)),
                          entry.applied || entry.details.empty()
                              ? entry.mechanism
                              : cat(entry.mechanism, " (", entry.details, ")")});
  }
  return render(table, indent);
}

std::string enforced_summary(const contracts::SandboxResult& result, bool verbose) {
  if (result.enforced.empty()) return "";
  const auto applied = std::ranges::count_if(
      result.enforced, [](const auto& entry) { return entry.second.applied; });
  const bool lacking = lacks_something(result);
  std::string out = cat("enforced: ", applied, " of ", result.enforced.size());
  if (!verbose && !lacking) return out + " (-v shows them)\n";
  return out + "\n" + enforced_text(result, "  ");
}

std::string denials_text(const std::vector<contracts::Denial>& denials, const std::string& indent) {
  std::string out;
  for (const contracts::Denial& denial : denials) {
    out += cat(indent, "denied: ", printable(denial.what));
    if (!denial.target.empty()) out += cat(" on ", printable(denial.target));
    if (!denial.executable.empty()) out += cat(" by ", printable(denial.executable));
    if (denial.count > 1) out += cat(" (", denial.count, " times)");
    out += cat("\n", indent, "  rule:   ", printable(denial.rule), "\n");
    if (!denial.remedy.empty()) out += cat(indent, "  remedy: ", printable(denial.remedy), "\n");
  }
  return out;
}

std::string unreached_text(const contracts::SandboxResult& result, const std::string& indent) {
  std::string out;
  for (const contracts::NetworkFlow& flow : result.usage.network) {
    if (flow.problem.empty()) continue;
    out += cat(indent, "not reached: ", printable(flow.name));
    if (flow.port != 0) out += cat(":", flow.port);
    if (flow.failures > 1) out += cat(" (", flow.failures, " times)");
    out += cat(": the policy allows it, but ", printable(flow.problem), "\n");
  }
  return out;
}

std::string left_out_text(const std::vector<contracts::LeftOut>& left_out, size_t most,
                          const std::string& indent) {
  Table table;
  for (size_t i = 0; i < std::min(most, left_out.size()); ++i) {
    table.rows.push_back({left_out[i].path, left_out[i].rule});
  }
  std::string out = render(table, indent);
  if (left_out.size() > most) out += cat(indent, "… and ", left_out.size() - most, " more\n");
  return out;
}

std::string came_back_text(const CameBack& back, bool verbose) {
  const auto more = [&](size_t all) {
    return cat("… and ", all - kFewNames, " more (", back.whole_list, ")");
  };
  std::string out = artifacts_text(back, verbose);
  const size_t named = std::min(back.artifacts.size(), kFewNames);
  if (!verbose && named > 0) {
    std::vector<std::string> names;
    for (size_t i = 0; i < named; ++i) names.push_back(place_of(back, back.artifacts[i]));
    const size_t all = back.artifacts.size();
    out += cat("  ", join(names, ", "), all > named ? cat(" ", more(all)) : "", "\n");
  }
  if (back.left_out.empty()) return out;
  out += "not brought back:\n";
  const size_t all = back.left_out.size();
  if (verbose || all <= kFewNames) return out + left_out_text(back.left_out, kAllLeftOut, "  ");
  const std::vector few(back.left_out.begin(), back.left_out.begin() + kFewNames);
  return cat(out, left_out_text(few, kFewNames, "  "), "  ", more(all), "\n");
}

std::string run_line(const contracts::Run& run) {
  const contracts::RunStatus& status = run.status;
  std::string line = cat("run ", run.metadata.name, " ", wire::enum_name(status.phase));
  // When an array did not succeed, its message has these numbers.
  if (status.array && status.phase == contracts::RunPhase::kSucceeded)
    line += cat(": ", status.array->succeeded, " of ", contracts::element_count(run.spec),
                " succeeded");
  if (status.result)
    line += cat(": rc ", status.result->rc, " (", wire::enum_name(status.result->status), ")");
  if (const std::string time = took(status); !time.empty()) line += cat(" after ", time);
  if (!status.node_name.empty()) line += cat(" on node ", status.node_name);
  if (status.result && status.result->tests) line += tests_text(*status.result->tests);
  if (status.phase == contracts::RunPhase::kSucceeded) return printable(line);
  if (!status.reason.empty()) line += cat(" [", status.reason, "]");
  if (!status.message.empty()) line += cat(": ", status.message);
  std::string out;
  for (const std::string& each : split(line, '\n'))
    out += cat(out.empty() ? "" : "\n  ", printable(each));
  return out;
}

bool worth_telling(const contracts::SandboxResult& result) {
  if (!result.denials.empty() || result.error_class) return true;
  const contracts::Truncated cut = contracts::cut_by_limit(result);
  return cut.out || cut.err || lacks_something(result);
}

}  // namespace paddock::cli
