// From a described type to its JSON Schema.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "common/wire/field.h"
#include "common/wire/internal/field_kinds.h"
#include "common/wire/value.h"

namespace paddock::wire::internal {

Value with_doc(Value schema, const char* doc, const Rules& rules);

template <class T>
Value schema_any() {
  if constexpr (std::is_same_v<T, Value>) {
    return Value::Object{{"x-kubernetes-preserve-unknown-fields", true}};
  } else if constexpr (IsOptional<T>::value) {
    return schema_any<typename T::value_type>();
  } else if constexpr (CustomCodec<T>) {
    return T::value_schema();
  } else if constexpr (Described<T>) {
    Value properties = Value::Object{};
    Value required;
    std::apply(
        [&](const auto&... f) {
          (
              [&] {
                using Member = std::remove_cvref_t<decltype(std::declval<T>().*(f.member))>;
                properties.set(f.name, with_doc(schema_any<Member>(), f.doc, f.rules));
                if (f.rules.required) required.push_back(f.name);
              }(),
              ...);
        },
        T::describe());
    Value schema = Value::Object{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.is_null()) schema.set("required", std::move(required));
    return schema;
  } else if constexpr (IsVector<T>::value) {
    return Value::Object{{"type", "array"}, {"items", schema_any<typename T::value_type>()}};
  } else if constexpr (IsMap<T>::value) {
    return Value::Object{{"type", "object"},
                         {"additionalProperties", schema_any<typename T::mapped_type>()}};
  } else if constexpr (std::is_enum_v<T>) {
    Value names;
    for (const auto& [each, name] : EnumNames<T>::values) names.push_back(name);
    return Value::Object{{"type", "string"}, {"enum", std::move(names)}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return Value::Object{{"type", "boolean"}};
  } else if constexpr (std::is_integral_v<T>) {
    return Value::Object{{"type", "integer"}, {"format", "int64"}};
  } else if constexpr (std::is_same_v<T, double>) {
    return Value::Object{{"type", "number"}};
  } else {
    return Value::Object{{"type", "string"}};
  }
}

}  // namespace paddock::wire::internal
