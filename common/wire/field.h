// What a type says of one of its fields, and of the names of an enum: the words of describe().
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

namespace paddock::wire {

struct Rules {
  bool required = false;
  bool omit_empty = false;  // empty strings, lists, maps and objects are not written
  int64_t min = std::numeric_limits<int64_t>::min();  // integers
  int64_t max = std::numeric_limits<int64_t>::max();
  size_t min_length = 0;  // strings in bytes, lists and maps in items
  size_t max_length = std::numeric_limits<size_t>::max();
};

template <class Owner, class T>
struct Field {
  const char* name;
  T Owner::*member;
  const char* doc;
  Rules rules;
};

template <class Owner, class T>
constexpr Field<Owner, T> field(const char* name, T Owner::*member, const char* doc,
                                Rules rules = {}) {
  return {name, member, doc, rules};
}

// Takes what a type says of its fields, and does nothing with it.
struct IgnoreFields {
  void operator()(const auto&...) const {}
};
// A type that says what its fields are (describe.h).
template <class T>
concept Described = requires {
  T::describe(IgnoreFields());
};

// The names of an enum on the wire: specialise with `static constexpr std::array values =
// {std::pair{E::kA, "A"}, …}`.
template <class E>
struct EnumNames;

template <class E>
requires std::is_enum_v<E>
constexpr std::string_view enum_name(E value) {
  for (const auto& [each, name] : EnumNames<E>::values) {
    if (each == value) return name;
  }
  return "";
}

template <class E>
requires std::is_enum_v<E>
constexpr std::optional<E> parse_enum(std::string_view text) {
  for (const auto& [each, name] : EnumNames<E>::values) {
    if (name == text) return each;
  }
  return std::nullopt;
}

}  // namespace paddock::wire
