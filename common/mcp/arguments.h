// The arguments of one call. What a schema says of them is checked before any tool sees them: a
// model is told which argument is wrong and what would pass.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::mcp {

// ARGUMENT_INVALID, with the argument as the cause's field.
Error bad_argument(std::string message, std::string field);
// Text of a caller's in a sentence of ours: printable, and not long.
std::string quoted(std::string_view text);

// The arguments as tools read them: null is what was not given, and a whole number an integer also
// where it is written 2.0, as JSON Schema has it.
wire::Value plain_arguments(const wire::Value& schema, const wire::Value& arguments);

// ARGUMENT_INVALID: unknown, missing, of another type, out of its range, no word of its list; all
// that is wrong at once.
Status check_arguments(const wire::Value& schema, const wire::Value& arguments);

class Arguments {  // checked
 public:
  explicit Arguments(const wire::Value& values) : values_(values) {}

  const wire::Value* find(std::string_view name) const { return values_.find(name); }
  std::string text(std::string_view name) const { return values_.text(name); }
  int64_t integer(std::string_view name, int64_t fallback) const;
  std::optional<int64_t> integer(std::string_view name) const;
  // The name of an object of this namespace; empty only where `optional`.
  Result<std::string> name(std::string_view argument, bool optional = false) const;

 private:
  const wire::Value& values_;
};

// A file below the folder of a session or a workspace: relative, or as programs there see it, below
// /workspace. Empty: the folder itself.
Result<std::string> inner_path(std::string_view argument, std::string_view path);

// The content of a file that a caller sends: its `text`, or the bytes of its `base64`. `where` is
// put before the names in errors.
Result<std::string> content_of(const Arguments& given, const std::string& where);

}  // namespace paddock::mcp
