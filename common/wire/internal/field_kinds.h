// How a field's type is written on the wire: which of the kinds that describe.h lists it is.
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "common/wire/check.h"
#include "common/wire/value.h"

namespace paddock::wire::internal {

template <class T>
concept CustomCodec = requires(const Value& value, Check& check, const T& self) {
  { T::decode_value(value, check) } -> std::same_as<std::optional<T>>;
  { self.encode_value() } -> std::same_as<Value>;
  { T::value_schema() } -> std::same_as<Value>;
};
template <class T>
concept Validated = requires(const T& self, Check& check) {
  self.validate(check);
};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class T>
struct IsMap<std::map<std::string, T>> : std::true_type {};

}  // namespace paddock::wire::internal
