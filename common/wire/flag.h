// A bool that is written only where it is true: for a field that readers of an earlier release do
// not know, and refuse. Its field is marked omit_empty.
#pragma once

#include <optional>

#include "common/wire/describe.h"

namespace paddock::wire {

class Flag {
 public:
  constexpr Flag(bool value = false) : value_(value) {}  // NOLINT: it is one
  constexpr operator bool() const { return value_; }     // NOLINT
  static std::optional<Flag> decode_value(const Value& value, Check& check);
  Value encode_value() const;
  static Value value_schema();

 private:
  bool value_;
};

}  // namespace paddock::wire
