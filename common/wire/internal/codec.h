// How values of a type are read, written and described, through a pointer to one. A described type
// is a table of its fields, and one function walks such a table: fields cost rows, not code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/wire/check.h"
#include "common/wire/field.h"
#include "common/wire/internal/field_kinds.h"
#include "common/wire/value.h"

namespace paddock::wire::internal {

// All are of one type; `out` and `in` point to a value of it.
struct Codec {
  void (*decode)(const Value& value, void* out, const Rules& rules, Check& check);
  Value (*encode)(const void* in);
  // Adds the JSON text of what encode() returns, without making that.
  void (*write)(const void* in, std::string& out);
  Value (*schema)();
  bool (*is_unset)(const void* in) = nullptr;  // of an optional: whether it has no value
};

struct Row {
  const char* name;
  const char* doc;
  Rules rules;
  size_t offset;  // of the field in its object, in bytes
  const Codec* codec;
};
using Rows = std::span<const Row>;

// These serve all described types. decode_object() is true if every field could be read.
bool decode_object(const Value& value, void* out, Rows rows, Check& check);
Value encode_object(const void* in, Rows rows);
void write_object(const void* in, Rows rows, std::string& out);
Value object_schema(Rows rows);

// Parts of JSON text. A comma is added unless the list, or the object, has just begun.
void begin_item(std::string& out);
void begin_member(std::string_view key, std::string& out);
void write_text(std::string_view text, std::string& out);
void write_value(const Value& value, std::string& out);
void write_integer(int64_t number, std::string& out);

void wrong_type(Check& check, std::string_view expected, const Value& value);
// Nothing, and a fault, if the value is of another type or beyond the rules.
const Value::Array* decode_array(const Value& value, const Rules& rules, Check& check);
const Value::Object* decode_map(const Value& value, const Rules& rules, Check& check);
const std::string* decode_enum(const Value& value, Check& check);
std::optional<int64_t> decode_integer(const Value& value, Rules rules, int64_t least, int64_t most,
                                      Check& check);
void unknown_enum(std::string_view text, const std::vector<std::string>& names, Check& check);

Value array_schema(Value items);
Value map_schema(Value values);
Value enum_schema(Value names);
Value integer_schema();

extern const Codec kValueCodec, kStringCodec, kBoolCodec, kDoubleCodec;

template <class T>
const Codec& codec_of();

template <class T>
T& as(void* out) {
  return *static_cast<T*>(out);
}
template <class T>
const T& as(const void* in) {
  return *static_cast<const T*>(in);
}

template <class T>
struct OptionalCodec {
  using Some = typename T::value_type;
  static void decode(const Value& value, void* out, const Rules& rules, Check& check) {
    codec_of<Some>().decode(value, &as<T>(out).emplace(), rules, check);
  }
  static Value encode(const void* in) {
    return as<T>(in) ? codec_of<Some>().encode(&*as<T>(in)) : Value();
  }
  static void write(const void* in, std::string& out) {
    if (!as<T>(in)) return write_value(Value(), out);
    codec_of<Some>().write(&*as<T>(in), out);
  }
  static Value schema() { return codec_of<Some>().schema(); }
  static bool is_unset(const void* in) { return !as<T>(in).has_value(); }
};

template <class T>
struct OwnCodec {
  static void decode(const Value& value, void* out, const Rules&, Check& check) {
    if (std::optional<T> decoded = T::decode_value(value, check)) as<T>(out) = std::move(*decoded);
  }
  static Value encode(const void* in) { return as<T>(in).encode_value(); }
  static void write(const void* in, std::string& out) {
    write_value(as<T>(in).encode_value(), out);
  }
  static Value schema() { return T::value_schema(); }
};

template <class T>
struct VectorCodec {
  using Item = typename T::value_type;
  static void decode(const Value& value, void* out, const Rules& rules, Check& check) {
    const Value::Array* items = decode_array(value, rules, check);
    if (items == nullptr) return;
    T& list = as<T>(out);
    list.clear();
    for (size_t i = 0; i < items->size(); ++i) {
      Check::Scope scope(check, i);
      codec_of<Item>().decode((*items)[i], &list.emplace_back(), Rules{}, check);
    }
  }
  static Value encode(const void* in) {
    Value::Array items;
    items.reserve(as<T>(in).size());
    for (const Item& item : as<T>(in)) items.push_back(codec_of<Item>().encode(&item));
    return items;
  }
  static void write(const void* in, std::string& out) {
    out += '[';
    for (const Item& item : as<T>(in)) {
      begin_item(out);
      codec_of<Item>().write(&item, out);
    }
    out += ']';
  }
  static Value schema() { return array_schema(codec_of<Item>().schema()); }
};

template <class T>
struct MapCodec {
  using Item = typename T::mapped_type;
  static void decode(const Value& value, void* out, const Rules& rules, Check& check) {
    const Value::Object* members = decode_map(value, rules, check);
    if (members == nullptr) return;
    T& map = as<T>(out);
    map.clear();
    for (const auto& [key, member] : *members) {
      Check::Scope scope(check, key);
      codec_of<Item>().decode(member, &map[key], Rules{}, check);
    }
  }
  static Value encode(const void* in) {
    Value::Object members;
    for (const auto& [key, item] : as<T>(in))
      members.emplace_back(key, codec_of<Item>().encode(&item));
    return members;
  }
  static void write(const void* in, std::string& out) {
    out += '{';
    for (const auto& [key, item] : as<T>(in)) {
      begin_member(key, out);
      codec_of<Item>().write(&item, out);
    }
    out += '}';
  }
  static Value schema() { return map_schema(codec_of<Item>().schema()); }
};

template <class T>
struct EnumCodec {
  static void decode(const Value& value, void* out, const Rules&, Check& check) {
    const std::string* text = decode_enum(value, check);
    if (text == nullptr) return;
    if (const auto parsed = parse_enum<T>(*text)) {
      as<T>(out) = *parsed;
      return;
    }
    std::vector<std::string> names;
    for (const auto& [each, name] : EnumNames<T>::values) names.emplace_back(name);
    unknown_enum(*text, names, check);
  }
  static Value encode(const void* in) { return enum_name(as<T>(in)); }
  static void write(const void* in, std::string& out) { write_text(enum_name(as<T>(in)), out); }
  static Value schema() {
    Value names;
    for (const auto& [each, name] : EnumNames<T>::values) names.push_back(name);
    return enum_schema(std::move(names));
  }
};

template <class T>
struct IntegerCodec {
  static void decode(const Value& value, void* out, const Rules& rules, Check& check) {
    using Limits = std::numeric_limits<T>;
    if (const auto number = decode_integer(value, rules, Limits::min(), Limits::max(), check))
      as<T>(out) = static_cast<T>(*number);
  }
  static Value encode(const void* in) { return as<T>(in); }
  static void write(const void* in, std::string& out) {
    write_integer(static_cast<int64_t>(as<T>(in)), out);
  }
  static Value schema() { return integer_schema(); }
};

template <class T, class Owner, class Member>
Row row_of(const T& sample, const Field<Owner, Member>& field) {
  const auto address = [](const auto& object) { return reinterpret_cast<const char*>(&object); };
  return {field.name, field.doc, field.rules,
          static_cast<size_t>(address(sample.*(field.member)) - address(sample)),
          &codec_of<Member>()};
}

template <class T>
Rows rows_of() {
  static const auto rows = [] {
    const T sample{};
    return T::describe(
        [&](const auto&... f) { return std::array<Row, sizeof...(f)>{row_of(sample, f)...}; });
  }();
  return rows;
}

// Its functions are not inline, so that PADDOCK_EXTERN_CODEC keeps them in one translation unit.
template <class T>
struct ObjectCodec {
  static void decode(const Value& value, void* out, const Rules& rules, Check& check);
  static Value encode(const void* in);
  static void write(const void* in, std::string& out);
  static Value schema();
};

template <class T>
void ObjectCodec<T>::decode(const Value& value, void* out, const Rules&, Check& check) {
  const bool sound = decode_object(value, out, rows_of<T>(), check);
  if constexpr (Validated<T>) {
    if (sound) as<T>(out).validate(check);
  }
}

template <class T>
Value ObjectCodec<T>::encode(const void* in) {
  return encode_object(in, rows_of<T>());
}

template <class T>
void ObjectCodec<T>::write(const void* in, std::string& out) {
  write_object(in, rows_of<T>(), out);
}

template <class T>
Value ObjectCodec<T>::schema() {
  return object_schema(rows_of<T>());
}

template <class C>
inline constexpr Codec kCodec = {&C::decode, &C::encode, &C::write, &C::schema};
template <class T>
inline constexpr Codec kCodec<OptionalCodec<T>> = {
    &OptionalCodec<T>::decode, &OptionalCodec<T>::encode, &OptionalCodec<T>::write,
    &OptionalCodec<T>::schema, &OptionalCodec<T>::is_unset};

template <class T>
const Codec& codec_of() {
  if constexpr (std::is_same_v<T, Value>) {
    return kValueCodec;
  } else if constexpr (IsOptional<T>::value) {
    return kCodec<OptionalCodec<T>>;
  } else if constexpr (CustomCodec<T>) {
    return kCodec<OwnCodec<T>>;
  } else if constexpr (Described<T>) {
    return kCodec<ObjectCodec<T>>;
  } else if constexpr (IsVector<T>::value) {
    return kCodec<VectorCodec<T>>;
  } else if constexpr (IsMap<T>::value) {
    return kCodec<MapCodec<T>>;
  } else if constexpr (std::is_enum_v<T>) {
    return kCodec<EnumCodec<T>>;
  } else if constexpr (std::is_same_v<T, bool>) {
    return kBoolCodec;
  } else if constexpr (std::is_integral_v<T>) {
    return kCodec<IntegerCodec<T>>;
  } else if constexpr (std::is_same_v<T, double>) {
    return kDoubleCodec;
  } else {
    static_assert(std::is_same_v<T, std::string>, "no codec for this field type");
    return kStringCodec;
  }
}

}  // namespace paddock::wire::internal
