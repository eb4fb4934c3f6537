// The report that is printed when a run has ended: how it ended, which files came back and which
// did not, what was enforced and what was denied. Pure text.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "common/contracts/run.h"

namespace paddock::cli {

// CAPABILITY REQUESTED APPLIED LEVEL MECHANISM, a line per capability; empty without any.
std::string enforced_text(const contracts::SandboxResult& result, const std::string& indent = "");
// `enforced: 18 of 18 (-v shows them)`; the table where `verbose`, or where something that was
// asked for was not applied. Whole lines; empty without any.
std::string enforced_summary(const contracts::SandboxResult& result, bool verbose);
// A block per denial: what, on which target, by which rule, what would allow it.
std::string denials_text(const std::vector<contracts::Denial>& denials,
                         const std::string& indent = "");
// A line per name that the policy allows and the node could not resolve or connect to.
std::string unreached_text(const contracts::SandboxResult& result, const std::string& indent = "");
// `sample.png  image files are not sent (.gitignore:3)`, a line each, at most `most` and then a
// count.
inline constexpr size_t kAllLeftOut = 100'000;
std::string left_out_text(const std::vector<contracts::LeftOut>& left_out, size_t most,
                          const std::string& indent = "");
// The files that came back from a run, in few lines: how much, the first names, and the command
// that names all.
struct CameBack {
  std::vector<contracts::Artifact> artifacts;
  std::vector<contracts::LeftOut> left_out;
  std::vector<std::string> asked;  // the folders whose files should have come back
  std::string folder;              // where they are now
  bool succeeded = true;           // the run; of another one half a result may be no whole one
  std::string whole_list;          // `paddock artifacts NAME`
};
// With `verbose` every name has a line.
std::string came_back_text(const CameBack& back, bool verbose);
// One line: `run x Succeeded: rc 0 after 3s on node y`.
std::string run_line(const contracts::Run& run);
// True if something was denied, ended by a limit, or asked for and not applied.
bool worth_telling(const contracts::SandboxResult& result);

}  // namespace paddock::cli
