// Field types written as people write them: Duration `30m`, Quantity `8Gi` (or a bare number of
// bytes), Timestamp in RFC 3339.
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
