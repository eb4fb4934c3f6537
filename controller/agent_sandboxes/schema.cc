// The rows of fields.h as a schema, for `kubectl explain`.
#include "common/base/text.h"
#include "controller/agent_sandboxes/fields.h"

namespace paddock::agent_sandboxes {
namespace {

using wire::Value;

Value base_of(const FieldRow& row) {
  const Value text = Value::Object{{"type", "string"}};
  switch (row.is) {
    case Is::kObject:
      return Value::Object{{"type", "object"}};
    case Is::kList:
      return Value::Object{{"type", "array"}, {"items", Value::Object{{"type", "object"}}}};
    case Is::kTexts:
      return Value::Object{{"type", "array"}, {"items", text}};
    case Is::kWords:
      return Value::Object{{"type", "object"}, {"additionalProperties", text}};
    case Is::kNumber:
      return Value::Object{{"type", "integer"}, {"minimum", 0}};
    case Is::kFlag:
      return Value::Object{{"type", "boolean"}};
    case Is::kQuantity:
      return Value::Object{{"x-kubernetes-int-or-string", true}};
    case Is::kTime:
      return Value::Object{{"type", "string"}, {"format", "date-time"}};
    case Is::kText:
      return text;
  }
  return text;
}

Value schema_of(const FieldRow& row) {
  Value schema = base_of(row);
  schema.set("description", row.says);
  if (row.only.empty() || row.is != Is::kText) return schema;
  Value values = Value::Array{};
  for (const auto& each : split(row.only, '|')) values.push_back(each);
  schema.set("enum", std::move(values));
  return schema;
}

// The schema of the object that a path's last member is in: its rows come before it.
Value* parent_of(Value& root, const std::vector<std::string>& names) {
  Value* at = &root;
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    const bool item = names[i].ends_with("[]");
    at = at->find("properties")->find(item ? names[i].substr(0, names[i].size() - 2) : names[i]);
    if (item) at = at->find("items");
  }
  return at;
}

void add(Value& object, std::string_view key, std::string_view name, Value value) {
  Value* members = object.find(key);
  if (members == nullptr) {
    object.set(key, Value::Object{});
    members = object.find(key);
  }
  members->set(name, std::move(value));
}

}  // namespace

Value spec_schema(Kind kind) {
  Value root = Value::Object{{"type", "object"}, {"description", "what is wanted"}};
  for (const FieldRow& row : fields_of(kind)) {
    const auto split_path = split(row.path, '.');
    const std::vector<std::string> names(split_path.begin(), split_path.end());
    Value* parent = parent_of(root, names);
    add(*parent, "properties", names.back(), schema_of(row));
    if (!row.required) continue;
    Value required =
        parent->find("required") == nullptr ? Value(Value::Array{}) : *parent->find("required");
    required.push_back(names.back());
    parent->set("required", std::move(required));
  }
  return root;
}

}  // namespace paddock::agent_sandboxes
