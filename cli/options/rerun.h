// `paddock rerun`: makes the request for a run again, with the changes that the options ask for.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/options/run_options.h"

namespace paddock::cli {

// The run that a rerun was made from; labels are the caller's.
inline constexpr const char* kRerunOf = "paddock.dev/rerun-of";

std::vector<OptionRow> rerun_option_rows();
// `name` without what made it unlike others (`train-x7k2p`), and `suffix`.
std::string rerun_name(const std::string& name, const std::string& suffix);
// The new run has the files of the run before, unless --latest-files. Options that may be given
// several times add to what that run had; any other option replaces it. FailedPrecondition:
// RUN_NOT_ENDED, TOOL_BUNDLE_NOT_KEPT.
Result<contracts::Run> rerun_of(const contracts::Run& before, const Parsed& parsed, const Env& env,
                                const OptionFiles& files, const std::string& name);

}  // namespace paddock::cli
