#include "controller/k8s/table.h"

#include "common/base/text.h"

namespace paddock::k8s {

using wire::Value;

Form requested_form(std::string_view accept) {
  for (const std::string& item : split(accept, ',')) {
    const std::vector<std::string> parts = split(item, ';');
    const std::string_view media = trim(parts[0]);
    if (media != "application/json" && media != "*/*" && media != "application/*") continue;
    std::string_view as;
    for (const std::string& part : parts) {
      if (trim(part).starts_with("as=")) as = trim(part).substr(3);
    }
    if (as.empty()) return Form::kObject;
    if (as == "Table") return Form::kTable;
    if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") return Form::kMetadata;
  }
  return Form::kObject;
}

IncludeObject parse_include_object(std::string_view text) {
  if (text == "Object") return IncludeObject::kObject;
  return text == "None" ? IncludeObject::kNone : IncludeObject::kMetadata;
}

Value table_row(Value row_cells, const Value& object, IncludeObject include) {
  Value row = Value::Object{{"cells", std::move(row_cells)}};
  if (include == IncludeObject::kObject) row.set("object", object);
  if (include == IncludeObject::kMetadata) row.set("object", partial_object(object));
  return row;
}

Value partial_object(const Value& object) {
  const Value* metadata = object.find("metadata");
  return Value::Object{{"kind", "PartialObjectMetadata"},
                       {"apiVersion", "meta.k8s.io/v1"},
                       {"metadata", metadata != nullptr ? *metadata : Value(Value::Object{})}};
}

Value partial_list(Value meta, Value items) {
  return list("meta.k8s.io/v1", "PartialObjectMetadata", std::move(meta), std::move(items));
}

Value table(Value columns, Value meta, Value rows) {
  return Value::Object{{"kind", "Table"},
                       {"apiVersion", "meta.k8s.io/v1"},
                       {"metadata", std::move(meta)},
                       {"columnDefinitions", std::move(columns)},
                       {"rows", std::move(rows)}};
}

Value list(std::string_view api_version, std::string_view kind, Value meta, Value items) {
  return Value::Object{{"kind", cat(kind, "List")},
                       {"apiVersion", api_version},
                       {"metadata", std::move(meta)},
                       {"items", std::move(items)}};
}

Value list_meta(const ListMeta& meta) {
  Value out = Value::Object{{"resourceVersion", std::to_string(meta.resource_version)}};
  if (!meta.continue_token.empty()) out.set("continue", meta.continue_token);
  if (!meta.continue_token.empty() && meta.remaining > 0)
    out.set("remainingItemCount", meta.remaining);
  return out;
}

Value list_in(Form form, Value (*columns)(), std::string_view api_version, std::string_view kind,
              const ListMeta& told, Value items) {
  Value meta = list_meta(told);
  if (form == Form::kTable) return table(columns(), std::move(meta), std::move(items));
  if (form == Form::kMetadata) return partial_list(std::move(meta), std::move(items));
  return list(api_version, kind, std::move(meta), std::move(items));
}

std::string continue_token(const Continuation& place) {
  return base64(cat("v2:", place.resource_version, ":", place.after));
}

Result<Continuation> parse_continue_token(std::string_view token) {
  const std::optional<std::string> text = decode_base64(token);
  const bool ours = text && text->starts_with("v2:") && text->size() <= 512 && is_utf8(*text);
  const size_t colon = ours ? text->find(':', 3) : std::string::npos;
  if (colon != std::string::npos) {
    const auto version = parse_integer<int64_t>(std::string_view(*text).substr(3, colon - 3));
    if (version && *version >= 0) return Continuation{*version, text->substr(colon + 1)};
  }
  return invalid_argument(
      "CONTINUE_INVALID",
      "the continue token is not one that this server gave out; start the list again", "continue");
}

}  // namespace paddock::k8s
