// The OpenAPI document as openapi.v2.Document in protobuf, made from the v3 one. Numbers of fields
// are those of gnostic's OpenAPIv2.proto.
#include "common/base/text.h"
#include "common/contracts/meta.h"
#include "common/wire/json.h"
#include "controller/k8s/discovery.h"
#include "controller/k8s/protobuf.h"

namespace paddock::k8s {
namespace {

using wire::Value;

std::string named(const std::string& name, const std::string& value) {
  ProtoWriter out;
  out.text(1, name);
  out.message(2, value);
  return out.take();
}

// An Any that holds a document as text: JSON is YAML.
std::string any_of(const Value& value) {
  ProtoWriter out;
  out.text(2, wire::to_json(value) + "\n");
  return out.take();
}

std::string wrapped(int field, const std::string& value) {
  ProtoWriter out;
  out.message(field, value);
  return out.take();
}

std::string schema(const Value& in);

void add_members(const Value& in, ProtoWriter& out) {
  if (const Value* extra = in.find("additionalProperties"); extra != nullptr)
    out.message(21, wrapped(1, schema(*extra)));
  if (const Value* items = in.find("items"); items != nullptr)
    out.message(23, wrapped(1, schema(*items)));
  const Value* properties = in.find("properties");
  if (properties == nullptr || properties->object() == nullptr) return;
  ProtoWriter members;
  for (const auto& [name, property] : *properties->object())
    members.message(1, named(name, schema(property)));
  out.message(25, members.take());
}

std::string schema(const Value& in) {
  ProtoWriter out;
  if (!in.text("format").empty()) out.text(2, in.text("format"));
  if (!in.text("description").empty()) out.text(4, in.text("description"));
  if (const Value* required = in.find("required"); required != nullptr) {
    for (const Value& name : *required->array()) out.text(19, *name.string());
  }
  if (const Value* values = in.find("enum"); values != nullptr) {
    for (const Value& value : *values->array()) out.message(20, any_of(value));
  }
  if (!in.text("type").empty()) out.message(22, wrapped(1, in.text("type")));
  add_members(in, out);
  for (const auto& [name, value] : *in.object()) {
    if (name.starts_with("x-")) out.message(31, named(name, any_of(value)));
  }
  return out.take();
}

// These clients check metadata themselves against what is named: so nothing is.
std::string definition(Value in) {
  if (Value* properties = in.find("properties"))
    properties->set("metadata", Value::Object{{"type", "object"}});
  return schema(in);
}

std::string query_parameter(const std::string& name) {
  ProtoWriter query;
  query.text(2, "query");
  query.text(4, name);
  query.text(6, "string");
  query.boolean(18, true);
  return wrapped(1, wrapped(2, wrapped(3, query.take())));
}

std::string ok_response() {
  ProtoWriter response;
  response.text(1, "OK");
  return wrapped(1, named("200", wrapped(1, response.take())));
}

std::string operation(const Value& in) {
  ProtoWriter out;
  for (const auto& [media, content] : *in.at("requestBody.content")->object()) out.text(7, media);
  for (const Value& each : *in.find("parameters")->array())
    out.message(8, query_parameter(each.text("name")));
  out.message(9, ok_response());
  for (const char* name : {"x-kubernetes-action", "x-kubernetes-group-version-kind"})
    out.message(13, named(name, any_of(*in.find(name))));
  return out.take();
}

std::string make_v2_document() {
  const Value& in = openapi_document();  // what it is called
  ProtoWriter info;
  info.text(1, in.text("info.title"));
  info.text(2, in.text("info.version"));
  ProtoWriter paths;
  ProtoWriter definitions;
  for (const std::span<const Resource> group : kResourceGroups) {
    const Value& document = openapi_document(group.front().group);
    for (const auto& [path, item] : *document.find("paths")->object())
      paths.message(2, named(path, wrapped(8, operation(*item.find("patch")))));
    for (const auto& [name, each] : *document.at("components.schemas")->object()) {
      if (each.find("x-kubernetes-group-version-kind") == nullptr) continue;  // not a kind
      definitions.message(1, named(name, definition(each)));
    }
  }
  ProtoWriter out;
  out.text(1, "2.0");
  out.message(2, info.take());
  out.message(8, paths.take());
  out.message(9, definitions.take());
  return out.take();
}

}  // namespace

const std::string& openapi_v2_document() {
  static const std::string kDocument = make_v2_document();
  return kDocument;
}

}  // namespace paddock::k8s
