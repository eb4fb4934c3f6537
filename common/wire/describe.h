// One declaration per type gives decoding, encoding and its schema:
//
//   struct Step {
//     std::string name;
//     std::optional<int64_t> retries;
//     static constexpr auto describe() {
//       return std::tuple{field("name", &Step::name, "what it is called", {.required = true,
//       .max_length = 63}),
//                         field("retries", &Step::retries, "how often to try again", {.min = 0,
//                         .max = 10})};
//     }
//   };
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
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "common/base/result.h"
#include "common/base/text.h"
#include "common/wire/value.h"

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

// Collects what is wrong with a document, and where.
class Check {
 public:
  void fail(std::string message) { causes_.push_back({path_, std::move(message)}); }
  // A fault at a field below the current one.
  void fail(std::string_view field, std::string message) {
    Scope scope(*this, field);
    fail(std::move(message));
  }
  void unknown(std::string_view key) {
    Scope scope(*this, key);
    fail("unknown field");
    ++unknown_;
  }
  bool ok() const { return causes_.empty(); }
  const std::string& path() const { return path_; }
  const std::vector<Cause>& causes() const { return causes_; }
  // UNKNOWN_FIELD if nothing but unknown fields is wrong, else INVALID_FIELD.
  Error error() const;

  // Appends a path element for its lifetime.
  class Scope {
   public:
    Scope(Check& check, std::string_view field) : check_(check), length_(check.path_.size()) {
      if (length_ > 0 && !field.empty()) check_.path_ += '.';
      check_.path_ += field;
    }
    Scope(Check& check, size_t index) : check_(check), length_(check.path_.size()) {
      check_.path_ += cat("[", index, "]");
    }
    ~Scope() { check_.path_.resize(length_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Check& check_;
    size_t length_;
  };

 private:
  std::string path_;
  std::vector<Cause> causes_;
  size_t unknown_ = 0;
};

namespace internal {

template <class T>
concept Described = requires {
  T::describe();
};
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

inline void wrong_type(Check& check, std::string_view expected, const Value& value) {
  check.fail(cat("expected ", expected, ", got ", value.type_name()));
}
void check_length(size_t length, const Rules& rules, std::string_view unit, Check& check);
void check_range(int64_t number, const Rules& rules, Check& check);
void unknown_enum(std::string_view text, const std::vector<std::string>& names, Check& check);
bool is_empty(const Value& value);
Value with_doc(Value schema, const char* doc, const Rules& rules);

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

}  // namespace internal

template <class T>
Result<T> decode(const Value& value) {
  T out{};
  Check check;
  internal::decode_into(value, out, Rules{}, check);
  if (!check.ok()) return check.error();
  return out;
}

template <class T>
Value encode(const T& in) {
  return internal::encode_any(in);
}

// The type's schema as a JSON Schema / OpenAPI 3 object.
template <class T>
Value schema() {
  return internal::schema_any<T>();
}

// Keeps a type's codec in one translation unit: EXTERN in its header, INSTANTIATE in its .cc file.
#define PADDOCK_EXTERN_CODEC(Type)                                                   \
  extern template ::paddock::Result<Type> paddock::wire::decode<Type>(const Value&); \
  extern template paddock::wire::Value paddock::wire::encode<Type>(const Type&);     \
  extern template paddock::wire::Value paddock::wire::schema<Type>()
#define PADDOCK_INSTANTIATE_CODEC(Type)                                       \
  template ::paddock::Result<Type> paddock::wire::decode<Type>(const Value&); \
  template paddock::wire::Value paddock::wire::encode<Type>(const Type&);     \
  template paddock::wire::Value paddock::wire::schema<Type>()

}  // namespace paddock::wire
