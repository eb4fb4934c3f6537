// `paddock compute` takes few command lines; what it refuses, `paddock run` takes.
#pragma once

#include <string>

#include "cli/grammar/command_table.h"
#include "cli/terminal/env.h"
#include "common/base/result.h"

namespace paddock::cli {

// One word for a POSIX shell, in quotes where it needs them.
std::string shell_word(std::string_view word);
// The `paddock run` line that does what the refused one meant; empty: there is none.
std::string other_way(const Parsed& parsed, const Error& refusal);
// Says it behind the error, if there is one.
void tell_other_way(const Parsed& parsed, const Error& refusal, const Env& env);

// The options of every command that say which controller, to be typed again: ` --server https://x`.
std::string connection_words(const Parsed& parsed);

}  // namespace paddock::cli
