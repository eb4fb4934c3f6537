// Field types written as people write them: Duration `30m`, Wait the same or `0s`, Quantity `8Gi`
// (or a bare number of bytes), Timestamp in RFC 3339.
#pragma once

#include <optional>

#include "common/base/time.h"
#include "common/base/units.h"
#include "common/wire/describe.h"

namespace paddock::wire {

struct Duration {
  Millis value{0};
  friend auto operator<=>(const Duration&, const Duration&) = default;
  static std::optional<Duration> decode_value(const Value& value, Check& check);
  Value encode_value() const;
  static Value value_schema();
};

// How long somebody waits for something: a duration, or 0 and 0s for not at all, which a Duration
// refuses. For fields where now is an answer.
struct Wait {
  Millis value{0};
  friend auto operator<=>(const Wait&, const Wait&) = default;
  static Result<Wait> parse(std::string_view text);
  static std::optional<Wait> decode_value(const Value& value, Check& check);
  Value encode_value() const;
  static Value value_schema();
};

struct Quantity {
  int64_t bytes = 0;
  friend auto operator<=>(const Quantity&, const Quantity&) = default;
  static std::optional<Quantity> decode_value(const Value& value, Check& check);
  Value encode_value() const;
  static Value value_schema();
};

struct Timestamp {
  WallTime value;
  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
  static std::optional<Timestamp> decode_value(const Value& value, Check& check);
  Value encode_value() const;
  static Value value_schema();
};

}  // namespace paddock::wire
