// The files that options name, read before anything is made of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command_row.h"
#include "cli/options/run_options.h"

namespace paddock::cli {

// A file, or standard input where it is named `-`.
Result<std::string> read_file_or_stdin(const std::string& file, size_t most);

// The content of --policy; `-` is standard input. POLICY_UNREADABLE.
Result<std::optional<std::string>> read_policy(const Parsed& parsed);
// That and every --env-file. ENV_FILE_UNREADABLE; STDIN_TWICE where two options want the one
// standard input.
Result<OptionFiles> read_option_files(const Parsed& parsed);

// Reads the file that an option names, before it is verified. The error of a file that cannot be
// read has `reason`, which tells it apart from a file that was changed.
Result<std::string> read_named(const Parsed& parsed, const std::string& cwd, const char* name,
                               size_t most, Reason reason);
// The same of the file that a command is about, its argument FILE. NotFound (FILE_NOT_FOUND) where
// there is none, as where an object is not there.
Result<std::string> read_subject(const Parsed& parsed, const std::string& cwd, size_t most,
                                 Reason reason);
// The error of such a file.
Error unreadable_subject(const Parsed& parsed, const Error& cause, Reason reason);

// The file that --keys names. USAGE where it is not given; `why` says what needs it, as in " with a
// file". SIGNING_KEY_INVALID.
Result<std::string> read_keys_file(const Parsed& parsed, const std::string& cwd,
                                   std::string_view why = {});
// The public keys in it.
Result<std::vector<std::string>> read_keys(const Parsed& parsed, const std::string& cwd,
                                           std::string_view why = {});

}  // namespace paddock::cli
