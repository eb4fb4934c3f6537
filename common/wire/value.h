// Value: a document without a format. Text is parsed into it, contracts are decoded from it.
// Objects keep the order of their members; keys are unique (the parsers refuse duplicates).
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/reason.h"

namespace paddock::wire {

class Value {
 public:
  using Array = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Object = std::vector<Member>;

  // What copies, moves and destroys a tree is not inlined wherever one is made.
  Value();  // null
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
  Value(std::nullptr_t) {}             // NOLINT: implicit by design
  Value(bool value) : data_(value) {}  // NOLINT
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T value) : data_(static_cast<int64_t>(value)) {}  // NOLINT
  Value(double value) : data_(value) {}                                                    // NOLINT
  Value(std::string value);                                                                // NOLINT
  Value(std::string_view value);                                                           // NOLINT
  Value(const char* value);                                                                // NOLINT
  Value(const Reason& value) : Value(value.text()) {}                                      // NOLINT
  Value(Array value);                                                                      // NOLINT
  Value(Object value);                                                                     // NOLINT

  bool is_null() const { return data_.index() == 0; }
  // The content if it has that type, else nullptr.
  const bool* boolean() const { return std::get_if<bool>(&data_); }
  const int64_t* integer() const { return std::get_if<int64_t>(&data_); }
  const double* number() const { return std::get_if<double>(&data_); }
  const std::string* string() const { return std::get_if<std::string>(&data_); }
  const Array* array() const { return std::get_if<Array>(&data_); }
  const Object* object() const { return std::get_if<Object>(&data_); }
  Array* array() { return std::get_if<Array>(&data_); }
  Object* object() { return std::get_if<Object>(&data_); }

  // The member of an object, or nullptr (also when this is not an object).
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  // find() along a dotted path: `at("metadata.name")`.
  const Value* at(std::string_view dotted_path) const;
  // The string at a dotted path, or empty.
  std::string text(std::string_view dotted_path) const;
  // Replaces or appends a member; makes this an object if it is null.
  void set(std::string_view key, Value value);
  void erase(std::string_view key);
  void push_back(Value value);  // makes this an array if it is null

  std::string_view type_name()
      const;  // "null", "boolean", "integer", "number", "string", "array", "object"
  friend bool operator==(const Value& a, const Value& b) { return a.equals(b); }

 private:
  bool equals(const Value& other) const;
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> data_;
};

}  // namespace paddock::wire
