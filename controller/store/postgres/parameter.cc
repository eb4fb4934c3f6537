#include "controller/store/postgres/parameter.h"

namespace paddock::store::postgres {

namespace {

void append_bits(std::string& out, int32_t value) {
  const auto bits = static_cast<uint32_t>(value);
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(bits >> shift & 0xff);
}

Oid array_of(Oid type) {
  switch (type) {
    case kBytesType:
      return 1001;
    case kTextType:
      return 1009;
    default:
      return 1016;
  }
}

}  // namespace

Parameter number(int64_t value) {
  Parameter out{kIntegerType, false, {}, {}};
  auto bits = static_cast<uint64_t>(value);
  for (size_t i = out.number.size(); i-- > 0; bits >>= 8) out.number[i] = static_cast<char>(bits);
  return out;
}

Parameter text(std::string_view value) { return {kTextType, false, {}, value}; }

void Array::add(const Parameter& value) {
  ++count_;
  if (value.null) {
    has_null_ = true;
    return append_bits(values_, -1);
  }
  type_ = value.type;
  const std::string_view bytes = value.type == kIntegerType
                                     ? std::string_view(value.number.data(), value.number.size())
                                     : value.text;
  append_bits(values_, static_cast<int32_t>(bytes.size()));
  values_ += bytes;
}

void Array::append(const Array& later) {
  if (later.type_ != 0) type_ = later.type_;
  has_null_ = has_null_ || later.has_null_;
  count_ += later.count_;
  values_ += later.values_;
}

// Dimensions, whether there are nulls, the type; of the dimension its length and first index.
std::string Array::encode() const {
  std::string out;
  append_bits(out, count_ > 0 ? 1 : 0);
  append_bits(out, has_null_ ? 1 : 0);
  append_bits(out, static_cast<int32_t>(type_ != 0 ? type_ : kIntegerType));
  if (count_ == 0) return out;
  append_bits(out, count_);
  append_bits(out, 1);
  return out + values_;
}

Parameter Array::as_parameter(std::string_view encoded) const {
  return {array_of(type_), false, {}, encoded};
}

}  // namespace paddock::store::postgres
