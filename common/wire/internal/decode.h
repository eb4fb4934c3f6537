// From a Value to a described type; every fault goes to the Check.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/wire/check.h"
#include "common/wire/field.h"
#include "common/wire/internal/field_kinds.h"
#include "common/wire/value.h"

namespace paddock::wire::internal {

inline void wrong_type(Check& check, std::string_view expected, const Value& value) {
  check.fail(cat("expected ", expected, ", got ", value.type_name()));
}
void check_length(size_t length, const Rules& rules, std::string_view unit, Check& check);
void check_range(int64_t number, const Rules& rules, Check& check);
void unknown_enum(std::string_view text, const std::vector<std::string>& names, Check& check);

template <class T>
void decode_into(const Value& value, T& out, const Rules& rules, Check& check);

template <Described T>
void decode_object(const Value& value, T& out, Check& check) {
  const Value::Object* members = value.object();
  if (members == nullptr) return wrong_type(check, "object", value);
  constexpr auto described = T::describe();
  for (const Value::Member& member : *members) {
    const std::string& key = member.first;
    const bool known =
        std::apply([&](const auto&... f) { return ((key == f.name) || ...); }, described);
    if (!known) check.unknown(key);
  }
  const size_t faults = check.causes().size();
  std::apply(
      [&](const auto&... f) {
        (
            [&] {
              const Value* member = value.find(f.name);
              if (member == nullptr || member->is_null()) {
                if (f.rules.required) check.fail(f.name, "required field is missing");
                return;
              }
              Check::Scope scope(check, f.name);
              decode_into(*member, out.*(f.member), f.rules, check);
            }(),
            ...);
      },
      described);
  if constexpr (Validated<T>) {
    if (check.causes().size() == faults) out.validate(check);
  }
}

template <class T>
void decode_into(const Value& value, T& out, const Rules& rules, Check& check) {
  if constexpr (std::is_same_v<T, Value>) {
    out = value;
  } else if constexpr (IsOptional<T>::value) {
    decode_into(value, out.emplace(), rules, check);
  } else if constexpr (CustomCodec<T>) {
    if (std::optional<T> decoded = T::decode_value(value, check)) out = std::move(*decoded);
  } else if constexpr (Described<T>) {
    decode_object(value, out, check);
  } else if constexpr (IsVector<T>::value) {
    const Value::Array* items = value.array();
    if (items == nullptr) return wrong_type(check, "array", value);
    check_length(items->size(), rules, "items", check);
    out.clear();
    for (size_t i = 0; i < items->size(); ++i) {
      Check::Scope scope(check, i);
      decode_into((*items)[i], out.emplace_back(), Rules{}, check);
    }
  } else if constexpr (IsMap<T>::value) {
    const Value::Object* members = value.object();
    if (members == nullptr) return wrong_type(check, "object", value);
    check_length(members->size(), rules, "entries", check);
    out.clear();
    for (const auto& [key, member] : *members) {
      Check::Scope scope(check, key);
      decode_into(member, out[key], Rules{}, check);
    }
  } else if constexpr (std::is_enum_v<T>) {
    if (value.string() == nullptr) return wrong_type(check, "string", value);
    if (const auto parsed = parse_enum<T>(*value.string())) {
      out = *parsed;
    } else {
      std::vector<std::string> names;
      for (const auto& [each, name] : EnumNames<T>::values) names.emplace_back(name);
      unknown_enum(*value.string(), names, check);
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    if (value.boolean() == nullptr) return wrong_type(check, "boolean", value);
    out = *value.boolean();
  } else if constexpr (std::is_integral_v<T>) {
    if (value.integer() == nullptr) return wrong_type(check, "integer", value);
    Rules narrowed = rules;
    narrowed.min = std::max<int64_t>(rules.min, std::numeric_limits<T>::min());
    narrowed.max = std::min<int64_t>(rules.max, std::numeric_limits<T>::max());
    check_range(*value.integer(), narrowed, check);
    out = static_cast<T>(*value.integer());
  } else if constexpr (std::is_same_v<T, double>) {
    if (value.number() == nullptr && value.integer() == nullptr)
      return wrong_type(check, "number", value);
    out = value.number() != nullptr ? *value.number() : static_cast<double>(*value.integer());
  } else {
    static_assert(std::is_same_v<T, std::string>, "no codec for this field type");
    if (value.string() == nullptr) return wrong_type(check, "string", value);
    check_length(value.string()->size(), rules, "bytes", check);
    out = *value.string();
  }
}

}  // namespace paddock::wire::internal
