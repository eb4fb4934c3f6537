#include "common/wire/describe.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/wire/internal/json_scalar.h"
#include "common/wire/json.h"
#include "common/wire/whole_number.h"

namespace paddock::wire::internal {
namespace {

struct Unit {
  const char* one;
  const char* many;
};

std::string counted(size_t count, const Unit& unit) {
  return cat(count, " ", count == 1 ? unit.one : unit.many);
}

void check_length(size_t length, const Rules& rules, const Unit& unit, Check& check) {
  if (length < rules.min_length)
    check.fail(cat("must have at least ", counted(rules.min_length, unit)));
  if (length > rules.max_length)
    check.fail(cat("must have at most ", counted(rules.max_length, unit)));
}

bool is_empty(const Value& value) {
  return value.is_null() || (value.string() != nullptr && value.string()->empty()) ||
         (value.array() != nullptr && value.array()->empty()) ||
         (value.object() != nullptr && value.object()->empty());
}

// The text of what is_empty() is true for.
bool is_empty_text(std::string_view json) {
  return json == "null" || json == R"("")" || json == "[]" || json == "{}";
}

void decode_field(const Value& object, void* out, const Row& row, Check& check) {
  const Value* member = object.find(row.name);
  if (member == nullptr || member->is_null()) {
    if (row.rules.required) check.fail(row.name, "required field is missing", CauseKind::kRequired);
    return;
  }
  Check::Scope scope(check, row.name);
  row.codec->decode(*member, static_cast<char*>(out) + row.offset, row.rules, check);
}

Value with_doc(Value schema, const Row& row) {
  const std::string type = schema.text("type");
  const Rules& rules = row.rules;
  schema.set("description", row.doc);
  if (type == "integer") {
    if (rules.min != std::numeric_limits<int64_t>::min()) schema.set("minimum", rules.min);
    if (rules.max != std::numeric_limits<int64_t>::max()) schema.set("maximum", rules.max);
  }
  if (type == "string") {
    if (rules.min_length > 0) schema.set("minLength", rules.min_length);
    if (rules.max_length != std::numeric_limits<size_t>::max()) {
      schema.set("maxLength", rules.max_length);
    }
  }
  return schema;
}

Value schema_of_type(const char* type) { return Value::Object{{"type", type}}; }

}  // namespace

void wrong_type(Check& check, std::string_view expected, const Value& value) {
  check.fail(cat("expected ", expected, ", got ", value.type_name()), CauseKind::kWrongType);
}

bool decode_object(const Value& value, void* out, Rows rows, Check& check) {
  const Value::Object* members = value.object();
  if (members == nullptr) {
    wrong_type(check, "object", value);
    return false;
  }
  for (const auto& [key, member] : *members) {
    const auto is_named = [&key = key](const Row& row) { return key == row.name; };
    if (std::ranges::none_of(rows, is_named)) check.unknown(key);
  }
  const size_t faults = check.causes().size();
  for (const Row& row : rows) decode_field(value, out, row, check);
  return check.causes().size() == faults;
}

Value encode_object(const void* in, Rows rows) {
  Value::Object members;
  members.reserve(rows.size());
  for (const Row& row : rows) {
    const void* field = static_cast<const char*>(in) + row.offset;
    if (row.codec->is_unset != nullptr && row.codec->is_unset(field)) continue;
    Value member = row.codec->encode(field);
    if (!row.rules.omit_empty || !is_empty(member))
      members.emplace_back(row.name, std::move(member));
  }
  return members;
}

void write_object(const void* in, Rows rows, std::string& out) {
  out += '{';
  for (const Row& row : rows) {
    const void* field = static_cast<const char*>(in) + row.offset;
    if (row.codec->is_unset != nullptr && row.codec->is_unset(field)) continue;
    const size_t before = out.size();
    begin_member(row.name, out);
    const size_t value = out.size();
    row.codec->write(field, out);
    if (row.rules.omit_empty && is_empty_text(std::string_view(out).substr(value)))
      out.resize(before);
  }
  out += '}';
}

// No value's text ends with an opening bracket.
void begin_item(std::string& out) {
  if (out.back() != '[') out += ',';
}

void begin_member(std::string_view key, std::string& out) {
  if (out.back() != '{') out += ',';
  append_quoted(key, out);
  out += ':';
}

void write_text(std::string_view text, std::string& out) { append_quoted(text, out); }
void write_value(const Value& value, std::string& out) { append_json(value, out); }
void write_integer(int64_t number, std::string& out) { out += std::to_string(number); }

Value object_schema(Rows rows) {
  Value properties = Value::Object{};
  Value required;
  for (const Row& row : rows) {
    properties.set(row.name, with_doc(row.codec->schema(), row));
    if (row.rules.required) required.push_back(row.name);
  }
  Value schema = Value::Object{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.is_null()) schema.set("required", std::move(required));
  return schema;
}

const Value::Array* decode_array(const Value& value, const Rules& rules, Check& check) {
  const Value::Array* items = value.array();
  if (items == nullptr) {
    wrong_type(check, "array", value);
  } else {
    check_length(items->size(), rules, {"item", "items"}, check);
  }
  return items;
}

const Value::Object* decode_map(const Value& value, const Rules& rules, Check& check) {
  const Value::Object* members = value.object();
  if (members == nullptr) {
    wrong_type(check, "object", value);
  } else {
    check_length(members->size(), rules, {"entry", "entries"}, check);
  }
  return members;
}

const std::string* decode_enum(const Value& value, Check& check) {
  if (value.string() == nullptr) wrong_type(check, "string", value);
  return value.string();
}

std::optional<int64_t> decode_integer(const Value& value, Rules rules, int64_t least, int64_t most,
                                      Check& check) {
  const std::optional<int64_t> whole = whole_number(value);
  if (!whole) {
    wrong_type(check, "integer", value);
    return std::nullopt;
  }
  const int64_t number = *whole;
  rules.min = std::max(rules.min, least);
  rules.max = std::min(rules.max, most);
  if (number < rules.min) check.fail(cat("must be at least ", rules.min));
  if (number > rules.max) check.fail(cat("must be at most ", rules.max));
  return number;
}

void unknown_enum(std::string_view text, const std::vector<std::string>& names, Check& check) {
  check.fail(cat("\"", text, "\" is not one of: ", join(names, ", ")), CauseKind::kNotSupported);
}

Value array_schema(Value items) {
  return Value::Object{{"type", "array"}, {"items", std::move(items)}};
}

Value map_schema(Value values) {
  return Value::Object{{"type", "object"}, {"additionalProperties", std::move(values)}};
}

Value enum_schema(Value names) {
  return Value::Object{{"type", "string"}, {"enum", std::move(names)}};
}

Value integer_schema() { return Value::Object{{"type", "integer"}, {"format", "int64"}}; }

const Codec kValueCodec = {
    [](const Value& value, void* out, const Rules&, Check&) { as<Value>(out) = value; },
    [](const void* in) { return as<Value>(in); },
    [](const void* in, std::string& out) { append_json(as<Value>(in), out); },
    [] {
      return Value(Value::Object{{"x-kubernetes-preserve-unknown-fields", true}});
    }};

const Codec kStringCodec = {
    [](const Value& value, void* out, const Rules& rules, Check& check) {
      if (value.string() == nullptr) return wrong_type(check, "string", value);
      check_length(value.string()->size(), rules, {"byte", "bytes"}, check);
      as<std::string>(out) = *value.string();
    },
    [](const void* in) { return Value(as<std::string>(in)); },
    [](const void* in, std::string& out) { append_quoted(as<std::string>(in), out); },
    [] { return schema_of_type("string"); }};

const Codec kBoolCodec = {
    [](const Value& value, void* out, const Rules&, Check& check) {
      if (value.boolean() == nullptr) return wrong_type(check, "boolean", value);
      as<bool>(out) = *value.boolean();
    },
    [](const void* in) { return Value(as<bool>(in)); },
    [](const void* in, std::string& out) { out += as<bool>(in) ? "true" : "false"; },
    [] { return schema_of_type("boolean"); }};

const Codec kDoubleCodec = {
    [](const Value& value, void* out, const Rules&, Check& check) {
      if (value.number() != nullptr) {
        as<double>(out) = *value.number();
      } else if (value.integer() != nullptr) {
        as<double>(out) = static_cast<double>(*value.integer());
      } else {
        wrong_type(check, "number", value);
      }
    },
    [](const void* in) { return Value(as<double>(in)); },
    [](const void* in, std::string& out) { out += number_to_text(as<double>(in)); },
    [] { return schema_of_type("number"); }};

}  // namespace paddock::wire::internal
