// Which limit ended or cut a run, as the field of its policy that says how much it may be. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/sandbox_result.h"

namespace paddock::contracts {

// A file came to it. Its code is that of `fsBytes`: a launcher that sees it says which by `limit`.
inline constexpr std::string_view kFileSize = "fileSize";

// `pids` for `sandbox.limits.pids`; empty: the run ended by none. Launchers of earlier releases set
// no `limit`: there it follows from status and code.
std::string_view limit_that_ended(const SandboxResult& result);
// Which streams wrote more than the log keeps of them. `truncated` of a result says that of the
// part that the result repeats, which is cut long before the log is.
Truncated cut_by_limit(const SandboxLimits& limits, const Usage& usage);
Truncated cut_by_limit(const SandboxResult& result);  // by its own policy; without one by its code
// Whether output was lost because its node had no room for it: no limit of the run's.
bool output_was_lost(const SandboxResult& result);
// Limits that a run met and that did not end it: its output was cut, its scratch space was full.
std::vector<std::string_view> limits_outlived(const SandboxResult& result);
// Limits that a failed command complains of on its standard error, that nothing counts and that may
// help if raised: address space, open files and others where the kernel only refuses. A command
// that ended well may complain too, of scratch space that was full and has been cleared since. This
// is for people: what a program prints decides nothing.
std::vector<std::string_view> limits_complained_of(const SandboxResult& result);
// What it complains of and how that is limited: `it complains of …; it complains of …`.
std::string complaints_text(const SandboxResult& result);
// The limit's value for people: `8Gi`, `30m`, `64`; empty: it has none.
std::string limit_text(const SandboxLimits& limits, std::string_view field);
std::string limit_text(const SandboxResult& result, std::string_view field);  // as it was held

}  // namespace paddock::contracts
