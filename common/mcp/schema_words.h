// The words of JSON Schema that every host of models takes: each value has one type, lists say what
// they hold, objects name their members, and nothing refers to anything. Hosts that are strict
// refuse a tool for `additionalProperties`, `$ref`, a list of types or an object without members.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/wire/describe.h"
#include "common/wire/value.h"

namespace paddock::mcp {

using Properties = wire::Value::Object;

wire::Value text(const char* what);
wire::Value flag(const char* what);
wire::Value number(const char* what);
wire::Value number(const char* what, int64_t min, int64_t max);
wire::Value texts(const char* what);
wire::Value one_of(wire::Value::Array words, const char* what);
wire::Value object(Properties properties, const std::vector<std::string>& required = {});
wire::Value list_of(wire::Value item, const char* what);

// The names of an enumeration.
template <class E>
wire::Value::Array words_of() {
  wire::Value::Array out;
  for (const auto& [value, name] : wire::EnumNames<E>::values) out.emplace_back(name);
  return out;
}

// In what an answer has: which of its members hold what programs wrote.
wire::Value untrusted();

}  // namespace paddock::mcp
