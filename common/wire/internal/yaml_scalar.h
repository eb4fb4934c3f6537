// Plain (unquoted) scalars by the core schema of YAML 1.2 (chapter 10.3), and back. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::wire::internal {

// What an unquoted scalar means: null, a boolean, an integer, a number, else a string. An error
// (only its message matters) for numbers out of range, .nan and .inf.
Result<Value> plain_scalar(std::string_view text);

// Whether `text` can be written unquoted and be read back as the same string, by this parser and
// by those of YAML 1.1, which know more words and number forms.
bool is_plain_string(std::string_view text);

}  // namespace paddock::wire::internal
