// From a described type to a Value.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "common/wire/field.h"
#include "common/wire/internal/field_kinds.h"
#include "common/wire/value.h"

namespace paddock::wire::internal {

bool is_empty(const Value& value);

template <class T>
Value encode_any(const T& in) {
  if constexpr (std::is_same_v<T, Value>) {
    return in;
  } else if constexpr (IsOptional<T>::value) {
    return in ? encode_any(*in) : Value();
  } else if constexpr (CustomCodec<T>) {
    return in.encode_value();
  } else if constexpr (Described<T>) {
    Value::Object members;
    std::apply(
        [&](const auto&... f) {
          (
              [&] {
                using Member = std::remove_cvref_t<decltype(in.*(f.member))>;
                if constexpr (IsOptional<Member>::value) {
                  if (!(in.*(f.member)).has_value()) return;
                }
                Value member = encode_any(in.*(f.member));
                if (f.rules.omit_empty && is_empty(member)) return;
                members.emplace_back(f.name, std::move(member));
              }(),
              ...);
        },
        T::describe());
    return members;
  } else if constexpr (IsVector<T>::value) {
    Value::Array items;
    items.reserve(in.size());
    for (const auto& item : in) items.push_back(encode_any(item));
    return items;
  } else if constexpr (IsMap<T>::value) {
    Value::Object members;
    for (const auto& [key, member] : in) members.emplace_back(key, encode_any(member));
    return members;
  } else if constexpr (std::is_enum_v<T>) {
    return Value(enum_name(in));
  } else {
    return Value(in);
  }
}

}  // namespace paddock::wire::internal
