#include "common/wire/flag.h"

namespace paddock::wire {

std::optional<Flag> Flag::decode_value(const Value& value, Check& check) {
  bool out = false;
  internal::kBoolCodec.decode(value, &out, Rules{}, check);
  return Flag(out);
}

Value Flag::encode_value() const { return value_ ? Value(true) : Value(); }
Value Flag::value_schema() { return internal::kBoolCodec.schema(); }

}  // namespace paddock::wire
