#include "common/wire/describe.h"

namespace paddock::wire::internal {

void check_length(size_t length, const Rules& rules, std::string_view unit, Check& check) {
  if (length < rules.min_length)
    check.fail(cat("must have at least ", rules.min_length, " ", unit));
  if (length > rules.max_length) check.fail(cat("must have at most ", rules.max_length, " ", unit));
}

void check_range(int64_t number, const Rules& rules, Check& check) {
  if (number < rules.min) check.fail(cat("must be at least ", rules.min));
  if (number > rules.max) check.fail(cat("must be at most ", rules.max));
}

void unknown_enum(std::string_view text, const std::vector<std::string>& names, Check& check) {
  check.fail(cat("\"", text, "\" is not one of: ", join(names, ", ")));
}

bool is_empty(const Value& value) {
  return value.is_null() || (value.string() != nullptr && value.string()->empty()) ||
         (value.array() != nullptr && value.array()->empty()) ||
         (value.object() != nullptr && value.object()->empty());
}

Value with_doc(Value schema, const char* doc, const Rules& rules) {
  const std::string type = schema.text("type");
  schema.set("description", doc);
  if (type == "integer") {
    if (rules.min != std::numeric_limits<int64_t>::min()) schema.set("minimum", rules.min);
    if (rules.max != std::numeric_limits<int64_t>::max()) schema.set("maximum", rules.max);
  }
  if (type == "string") {
    if (rules.min_length > 0) schema.set("minLength", rules.min_length);
    if (rules.max_length != std::numeric_limits<size_t>::max()) {
      schema.set("maxLength", rules.max_length);
    }
  }
  return schema;
}

}  // namespace paddock::wire::internal
