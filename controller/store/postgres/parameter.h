// Values as they are sent to PostgreSQL, in its binary form, alone and in arrays.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace paddock::store::postgres {

// Types of the catalog; they never change.
inline constexpr Oid kBytesType = 17;
inline constexpr Oid kIntegerType = 20;
inline constexpr Oid kTextType = 25;

// Its text is borrowed from the caller that made it.
struct Parameter {
  Oid type = 0;
  bool null = true;
  std::array<char, 8> number{};
  std::string_view text;
};

Parameter number(int64_t value);
Parameter text(std::string_view value);

// Values of one type, and nulls, for `unnest`.
class Array {
 public:
  void add(const Parameter& value);
  void append(const Array& later);
  // Borrows what encode() gave.
  Parameter as_parameter(std::string_view encoded) const;
  std::string encode() const;
  size_t bytes() const { return values_.size(); }

 private:
  Oid type_ = 0;  // of an element; 0: none but nulls so far
  bool has_null_ = false;
  int32_t count_ = 0;
  std::string values_;
};

}  // namespace paddock::store::postgres
