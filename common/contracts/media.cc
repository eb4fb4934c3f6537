#include "common/contracts/media.h"

#include <algorithm>

namespace paddock::contracts {
namespace {

using wire::Check;
using wire::Value;

void refuse_unknown(const Value& value, std::initializer_list<std::string_view> known,
                    Check& check) {
  for (const auto& [name, member] : *value.object()) {
    if (std::ranges::find(known, name) == known.end()) check.unknown(name);
  }
}

const std::string* text_member(const Value& value, std::string_view name) {
  const Value* member = value.find(name);
  return member == nullptr ? nullptr : member->string();
}

std::vector<MediaSurface> read_surfaces(const Value& list, Check& check) {
  std::vector<MediaSurface> out;
  const Check::Scope scope(check, "allowedSurfaces");
  if (list.array() == nullptr) {
    check.fail("mediaExecution.allowedSurfaces must be an array");
    return out;
  }
  for (const Value& item : *list.array()) {
    const auto surface =
        item.string() == nullptr ? std::nullopt : wire::parse_enum<MediaSurface>(*item.string());
    if (!surface) {
      check.fail("mediaExecution.allowedSurfaces may only include image, video, or audio");
      return out;
    }
    if (std::ranges::find(out, *surface) == out.end()) out.push_back(*surface);
  }
  return out;
}

std::vector<std::string> read_models(const Value& list, Check& check) {
  constexpr size_t kMostModels = 256;
  std::vector<std::string> out;
  const Check::Scope scope(check, "allowedModels");
  if (list.array() == nullptr || list.array()->size() > kMostModels) {
    check.fail("mediaExecution.allowedModels must be an array");
    return out;
  }
  for (const Value& item : *list.array()) {
    const std::string model(item.string() == nullptr ? "" : trim(*item.string()));
    if (model.empty()) {
      check.fail("mediaExecution.allowedModels must contain non-empty strings");
      return out;
    }
    if (std::ranges::find(out, model) == out.end()) out.push_back(model);
  }
  return out;
}

}  // namespace

std::optional<MediaExecution> MediaExecution::decode_value(const Value& value, Check& check) {
  if (value.object() == nullptr) {
    check.fail("mediaExecution must be an object when provided");
    return std::nullopt;
  }
  refuse_unknown(value, {"mode", "allowedSurfaces", "allowedModels"}, check);
  MediaExecution out;
  const std::string* mode = text_member(value, "mode");
  const auto known = mode == nullptr ? std::nullopt : wire::parse_enum<MediaMode>(*mode);
  if (!known) {
    check.fail("mode", "mediaExecution.mode must be enabled or disabled");
    return std::nullopt;
  }
  out.mode = *known;
  if (const Value* list = value.find("allowedSurfaces"))
    out.allowed_surfaces = read_surfaces(*list, check);
  if (const Value* list = value.find("allowedModels"))
    out.allowed_models = read_models(*list, check);
  return out;
}

Value MediaExecution::encode_value() const {
  Value out = Value::Object{{"mode", wire::enum_name(mode)}};
  Value surfaces = Value::Array{};
  for (const MediaSurface each : allowed_surfaces) surfaces.push_back(wire::enum_name(each));
  Value models = Value::Array{};
  for (const std::string& each : allowed_models) models.push_back(each);
  if (!allowed_surfaces.empty()) out.set("allowedSurfaces", std::move(surfaces));
  if (!allowed_models.empty()) out.set("allowedModels", std::move(models));
  return out;
}

Value MediaExecution::value_schema() {
  const Value texts =
      Value::Object{{"type", "array"}, {"items", Value::Object{{"type", "string"}}}};
  return Value::Object{{"type", "object"},
                       {"properties", Value::Object{{"mode", Value::Object{{"type", "string"}}},
                                                    {"allowedSurfaces", texts},
                                                    {"allowedModels", texts}}}};
}

std::optional<MediaRequest> MediaRequest::decode_value(const Value& value, Check& check) {
  if (value.object() == nullptr) {
    check.fail("expected an object", CauseKind::kWrongType);
    return std::nullopt;
  }
  refuse_unknown(value, {"surface", "model", "prompt", "input"}, check);
  MediaRequest out;
  const std::string* surface = text_member(value, "surface");
  const auto known = surface == nullptr ? std::nullopt : wire::parse_enum<MediaSurface>(*surface);
  if (known) {
    out.surface = *known;
  } else {
    check.fail("surface", "surface must be image, video, or audio");
  }
  const std::string* model = text_member(value, "model");
  if (model != nullptr) out.model = trim(*model);
  if (out.model.empty()) check.fail("model", "model is required");
  if (const std::string* prompt = text_member(value, "prompt")) out.prompt = *prompt;
  if (const Value* input = value.find("input")) {
    if (input->object() == nullptr)
      check.fail("input", "expected an object", CauseKind::kWrongType);
    out.input = *input;
  }
  return out;
}

Value MediaRequest::encode_value() const {
  return Value::Object{{"surface", wire::enum_name(surface)},
                       {"model", model},
                       {"prompt", prompt},
                       {"input", input}};
}

Value MediaRequest::value_schema() { return Value::Object{{"type", "object"}}; }

}  // namespace paddock::contracts
