// One declaration per type gives decoding, encoding and its schema:
//
//   struct Step {
//     std::string name;
//     std::optional<int64_t> retries;
//     static constexpr auto describe(auto&& visit) {
//       return visit(field("name", &Step::name, "what it is called",
//                          {.required = true, .max_length = 63}),
//                    field("retries", &Step::retries, "how often to try again",
//                          {.min = 0, .max = 10}));
//     }
//   };
//
// The fields are handed to a visitor, and not returned in a std::tuple: who only includes the
// header would pay for the tuple's type, which was a third of the time of compiling the contracts.
//
// Field types: bool, int, int64_t, double, std::string, enums (see EnumNames), Value,
// std::optional, std::vector, std::map<std::string, T>, described structs, and types with their own
// codec
// (`static std::optional<T> decode_value(const Value&, Check&)`, `Value encode_value() const`,
// `static Value value_schema()`).
// A struct may also have `void validate(Check&) const` for rules across fields.
//
// Decoding reports every fault at once, each with its path (`spec.command[2]`), and refuses unknown
// fields. An unset optional is left out when encoding; so is an empty field marked omit_empty.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/wire/check.h"
#include "common/wire/field.h"
#include "common/wire/internal/codec.h"
#include "common/wire/value.h"

namespace paddock::wire {

template <class T>
Result<T> decode(const Value& value) {
  T out{};
  Check check;
  internal::codec_of<T>().decode(value, &out, Rules{}, check);
  if (!check.ok()) return check.error();
  return out;
}

// The same, but fields that the type does not have are left out, and their paths collected.
template <class T>
Result<T> decode(const Value& value, std::vector<std::string>& unknown) {
  T out{};
  Check check(Check::Unknown::kCollect);
  internal::codec_of<T>().decode(value, &out, Rules{}, check);
  unknown = check.collected();
  if (!check.ok()) return check.error();
  return out;
}

template <class T>
Value encode(const T& in) {
  return internal::codec_of<T>().encode(&in);
}

// The same text as to_json(encode(in)), at a third of the cost: no document is made on the way.
template <class T>
std::string encode_json(const T& in) {
  std::string out;
  internal::codec_of<T>().write(&in, out);
  return out;
}

// The type's schema as a JSON Schema / OpenAPI 3 object.
template <class T>
Value schema() {
  return internal::codec_of<T>().schema();
}

// Keeps a described type's codec in one translation unit: EXTERN in its header, INSTANTIATE in its
// .cc file.
#define PADDOCK_EXTERN_CODEC(Type) \
  extern template struct ::paddock::wire::internal::ObjectCodec<Type>
#define PADDOCK_INSTANTIATE_CODEC(Type) template struct ::paddock::wire::internal::ObjectCodec<Type>

}  // namespace paddock::wire
