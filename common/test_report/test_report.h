// A test run is judged by what became of its tests, not by the exit code alone. Inside, judge.py
// starts pytest in a process of its own, hears of each test and writes a report that is signed with
// a key which is gone before anything of the project is executed (python/judge.py). What a hostile
// test can still forge is in docs/results.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.h"
#include "common/base/reason.h"
#include "common/contracts/launch.h"

namespace paddock::test_report {

// What judge.py counted.
struct Report {
  int64_t collected = 0;
  int64_t passed = 0;  // with those that failed as was expected of them
  int64_t failed = 0;
  int64_t skipped = 0;
  int64_t skipped_files = 0;  // left out whole, before their tests were known
  int64_t broken_files = 0;   // could not be read for tests
  bool finished = false;      // pytest came to its own end
  static constexpr auto describe(auto&& visit) {
    using contracts::field;
    return visit(field("collected", &Report::collected, "", {.min = 0}),
                 field("passed", &Report::passed, "", {.min = 0}),
                 field("failed", &Report::failed, "", {.min = 0}),
                 field("skipped", &Report::skipped, "", {.min = 0}),
                 field("skippedFiles", &Report::skipped_files, "", {.min = 0}),
                 field("brokenFiles", &Report::broken_files, "", {.min = 0}),
                 field("finished", &Report::finished, ""));
  }
};

// Whether a command is pytest, as admission lets it pass: `pytest …` or `python3 -m pytest …`. On
// systems without scratch space of a sandbox's own (all but Linux) none is judged.
bool is_judged(const std::vector<std::string>& command);

// Where a run's report comes to: a folder of its own, readable by nobody else.
//   key     the secret that signs it
//   report  written from inside
// Errors are the system's.
Status prepare(const std::string& folder, std::optional<int64_t> owner, Random& random);
// The request's command, started by judge.py.
Status add_judge(const std::string& folder, contracts::LaunchRequest& request);
// Nothing where none was written, or where it is not what judge.py signed.
std::optional<Report> read(const std::string& folder);

// Stable words, for a result's reason and a run's.
inline constexpr Reason kNoTests = "NO_TESTS";
inline constexpr Reason kTestsSkipped = "TESTS_SKIPPED";
inline constexpr Reason kTestsFailed = "TESTS_FAILED";
inline constexpr Reason kTestsUnfinished = "TESTS_UNFINISHED";

// What is said beside the exit code; empty words: nothing.
struct Verdict {
  Reason reason;
  std::string message;
};
// Pure. Gives the result its counts, its command as the caller wrote it, and, where its tests do
// not bear the success out that its exit code claims, status FAILED with an exit code of pytest's:
// 1 for tests that failed or did not end, 5 where none ran.
Verdict judge(const std::vector<std::string>& command, const std::optional<Report>& report,
              contracts::SandboxResult& result);

}  // namespace paddock::test_report
