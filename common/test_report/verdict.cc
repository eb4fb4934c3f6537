// How a report and an exit code are read together. Pure.
#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/test_report/test_report.h"

namespace paddock::test_report {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;

constexpr int64_t kFailedCode = 1;  // pytest's own
constexpr int64_t kNoneRanCode = 5;

// Whoever starts pytest so wants no test to run.
bool wants_no_tests(const std::vector<std::string>& command) {
  constexpr std::array<std::string_view, 8> kQuestions = {
      "--collect-only", "--co", "--fixtures",   "--markers",
      "--version",      "-V",   "--setup-only", "--setup-plan"};
  return std::ranges::any_of(command, [&](const std::string& word) {
    return std::ranges::find(kQuestions, word) != kQuestions.end();
  });
}

Verdict none_ran(const Report& report) {
  if (report.collected == 0 && report.skipped_files == 0)
    return {kNoTests, "no test was found; name files that hold tests, as test_*.py or *_test.py"};
  if (report.collected == 0)
    return {kTestsSkipped,
            cat("no test ran: ", report.skipped_files,
                report.skipped_files == 1 ? " file was" : " files were", " skipped whole")};
  return {kTestsSkipped,
          cat("no test ran: all of ", report.collected, " were skipped; pytest's -rs says why")};
}

Verdict unfinished(const std::optional<Report>& report) {
  if (!report) return {kTestsUnfinished, "pytest ended without a report of its tests"};
  const int64_t ended = report->passed + report->failed + report->skipped;
  if (!report->finished && ended == report->collected)
    return {kTestsUnfinished,
            cat("the process of the tests ended before pytest had finished, ", ended, " tests in")};
  return {kTestsUnfinished,
          cat("only ", ended, " of ", report->collected, " tests ran to their end")};
}

// Checks a run that claims success against its report.
Verdict doubt(const std::optional<Report>& report) {
  if (!report) return unfinished(report);
  const int64_t ended = report->passed + report->failed + report->skipped;
  if (report->failed > 0)
    return {kTestsFailed, cat(report->failed, " of ", report->collected,
                              " tests failed, though pytest's process ended with 0")};
  if (!report->finished || ended < report->collected) return unfinished(report);
  return report->passed == 0 ? none_ran(*report) : Verdict{};
}

}  // namespace

Verdict judge(const std::vector<std::string>& command, const std::optional<Report>& report,
              SandboxResult& result) {
  if (!result.cmd.empty()) result.cmd = command;
  if (report) {
    result.tests =
        contracts::TestCounts{report->collected, report->passed, report->failed, report->skipped};
  }
  if (wants_no_tests(command)) return {};
  Verdict out;
  if (result.status == SandboxStatus::kOk) {
    out = doubt(report);
    if (out.reason.empty()) return out;
    result.status = SandboxStatus::kFailed;
    const bool ran = out.reason == kTestsFailed || out.reason == kTestsUnfinished;
    result.rc = ran ? kFailedCode : kNoneRanCode;
  } else if (result.status == SandboxStatus::kFailed && result.rc == kNoneRanCode && report &&
             report->passed + report->failed == 0) {
    out = none_ran(*report);
  }
  if (!out.reason.empty()) result.reason = cat(out.reason, ": ", out.message);
  return out;
}

}  // namespace paddock::test_report
