// A text that is written as null where there is none; an optional one would be left out.
#pragma once

#include <optional>
#include <string>

#include "common/wire/describe.h"

namespace paddock::wire {

struct NullableText {
  std::optional<std::string> text;
  friend bool operator==(const NullableText&, const NullableText&) = default;
  static std::optional<NullableText> decode_value(const Value& value, Check& check) {
    if (value.string() == nullptr) {
      internal::wrong_type(check, "string or null", value);
      return std::nullopt;
    }
    return NullableText{*value.string()};
  }
  Value encode_value() const { return text ? Value(*text) : Value(); }
  static Value value_schema() { return Value::Object{{"type", "string"}, {"nullable", true}}; }
};

}  // namespace paddock::wire
