// Errors as people read them: what happened, where in the input, and what to do about it.
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal/env.h"
#include "common/base/result.h"

namespace paddock::cli {

// Advice for a person about an error, by its reason; empty when there is nothing to add.
// `connection`: that of Env, for commands that it names.
std::string hint_for(const Error& error, std::string_view connection = {});
// `error: <message> [REASON]`, a line per cause, the hint. Ends with a newline.
std::string error_text(const Error& error, const Stream& stream);
// The same with another hint; empty: none.
std::string error_text(const Error& error, const Stream& stream, const std::string& hint);
// Prints the error to stderr and returns its exit code.
int fail(const Env& env, const Error& error, bool starting = false);

}  // namespace paddock::cli
