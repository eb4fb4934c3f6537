// The flags of the four interpreters: which run other code than the script, which are harmless.
// Pure tables and their lookup; part of command_rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock::admission {

enum class Interpreter { kPython, kNode, kBash };

// Exact match: no path, no other case, no version.
std::optional<Interpreter> interpreter_of(std::string_view program);

// The blocked flag that `word` is a form of, if any: whole, joined by =, or attached and bundled as
// this interpreter reads it. It does not matter where the word stands. Without an interpreter the
// flags that are blocked everywhere count.
std::optional<std::string> blocked_flag(std::optional<Interpreter> interpreter,
                                        std::string_view word);

// Whether `word` may stand before the script.
bool is_harmless_option(Interpreter interpreter, std::string_view word);
std::string harmless_options(Interpreter interpreter);  // for people

}  // namespace paddock::admission
