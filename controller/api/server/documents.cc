#include "controller/api/server/documents.h"

#include <algorithm>

#include "common/wire/json.h"
#include "common/wire/yaml.h"

namespace paddock::api {
namespace {

constexpr size_t kMostValues = 2'000'000;

std::string media_of(std::string_view content_type) {
  return ascii_lower(trim(content_type.substr(0, content_type.find(';'))));
}

// The parser's words say what it met, and not what it is that cannot be read.
Result<wire::Value> of_body(Result<wire::Value> read, const char* language) {
  if (read.ok() || !is_one_of(read.error().reason, {"MALFORMED_JSON", "MALFORMED_YAML"}))
    return read;
  Error error = std::move(read).error();
  error.message = cat("the body cannot be read as ", language, ": ", error.message);
  return error;
}

}  // namespace

Result<wire::Value> parse_document(std::string_view content_type, std::string_view bytes,
                                   size_t limit) {
  const std::string media = media_of(content_type);
  const wire::ParseLimits limits{.max_bytes = limit, .max_values = kMostValues};
  if (media.empty() || media == "application/json" || media == "text/json")
    return of_body(wire::parse_json(bytes, limits), "JSON");
  if (media == "application/yaml" || media == "application/x-yaml" || media == "text/yaml")
    return of_body(wire::parse_yaml(bytes, limits), "YAML");
  return invalid_argument("MEDIA_TYPE_UNSUPPORTED",
                          "the body must be application/json or application/yaml");
}

Response json_response(const wire::Value& document, int status) {
  return json_text_response(wire::to_json(document), status);
}

Response json_text_response(std::string json, int status) {
  Response response;
  response.status = status;
  response.body = std::move(json) + "\n";
  return response;
}

Response secret_response(const wire::Value& document) {
  Response response = json_response(document, 201);
  response.headers.emplace_back("cache-control", "no-store");
  return response;
}

Response untrusted_response(std::string bytes) {
  Response response;
  response.content_type = "application/octet-stream";
  response.headers.emplace_back("x-content-type-options", "nosniff");
  response.headers.emplace_back("content-security-policy", "sandbox");
  response.headers.emplace_back("cache-control", "no-store");
  response.body = std::move(bytes);
  return response;
}

Response text_response(std::string text, int status) {
  Response response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.headers.emplace_back("x-content-type-options", "nosniff");
  response.body = std::move(text);
  return response;
}

Result<std::optional<int64_t>> integer_parameter(const Request& request, std::string_view name,
                                                 int64_t min, int64_t max) {
  const std::optional<std::string> text = request.parameter(name);
  if (!text || text->empty()) return std::optional<int64_t>();
  const std::optional<int64_t> number = parse_integer<int64_t>(*text);
  if (number && *number >= min && *number <= max) return number;
  return invalid_argument("PARAMETER_INVALID",
                          cat(name, " must be a whole number from ", min, " to ", max),
                          std::string(name));
}

Result<bool> flag_parameter(const Request& request, std::string_view name) {
  const std::optional<std::string> given = request.parameter(name);
  if (!given) return false;
  const std::string text = ascii_lower(*given);  // clients in Python send True
  if (text.empty() || text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  return invalid_argument("PARAMETER_INVALID", cat(name, " must be true or false"),
                          std::string(name));
}

Result<PatchKind> patch_kind(std::string_view content_type) {
  const std::string media = media_of(content_type);
  if (media == "application/merge-patch+json") return PatchKind::kMerge;
  if (media == "application/json-patch+json") return PatchKind::kJson;
  if (media == "application/apply-patch+yaml") return PatchKind::kApply;
  return invalid_argument("MEDIA_TYPE_UNSUPPORTED",
                          cat("\"", to_utf8_lossy(media.substr(0, 80)),
                              "\" is not supported here; a patch is application/merge-patch+json, "
                              "application/json-patch+json or application/apply-patch+yaml"));
}

Result<wire::Value> parse_patch(std::string_view content_type, std::string_view bytes,
                                size_t limit) {
  ASSIGN_OR_RETURN(const PatchKind kind, patch_kind(content_type));
  // Clients send an apply's YAML as JSON.
  const bool yaml = kind == PatchKind::kApply && !trim(bytes).starts_with('{');
  return parse_document(yaml ? "application/yaml" : "application/json", bytes, limit);
}

Result<bool> wants_dry_run(const Request& request, const wire::Value& options) {
  std::vector<std::string> values;
  for (const auto& [name, value] : request.query) {
    if (name == "dryRun") values.push_back(value);
  }
  if (const wire::Value* listed = options.find("dryRun"); listed != nullptr && !listed->is_null()) {
    if (listed->array() == nullptr)
      return invalid_argument("PARAMETER_INVALID", "dryRun is a list: [\"All\"]", "dryRun");
    for (const wire::Value& each : *listed->array())
      values.push_back(each.string() != nullptr ? *each.string() : "");
  }
  const bool all = std::ranges::all_of(values, [](const auto& each) { return each == "All"; });
  if (all) return !values.empty();
  return invalid_argument("PARAMETER_INVALID", "dryRun takes the value All only", "dryRun");
}

Status refuse_dry_run(const Request& request, const wire::Value& options) {
  ASSIGN_OR_RETURN(const bool wanted, wants_dry_run(request, options));
  if (!wanted) return {};
  return invalid_argument("DRY_RUN_NOT_SUPPORTED", "this request has no dry run", "dryRun");
}

Status refuse_fields(const wire::Value& body) {
  const auto* fields = body.object();
  if (fields != nullptr && fields->empty()) return {};
  return invalid_argument("INVALID_FIELD", "the body of this call is `{}`: it has no fields");
}

Result<FieldValidation> field_validation(const Request& request) {
  const std::string text = request.parameter("fieldValidation").value_or("");
  if (text.empty() || text == "Strict") return FieldValidation::kStrict;
  if (text == "Warn") return FieldValidation::kWarn;
  if (text == "Ignore") return FieldValidation::kIgnore;
  return invalid_argument("PARAMETER_INVALID", "fieldValidation must be Strict, Warn or Ignore",
                          "fieldValidation");
}

wire::Check judge_unknown_fields(const std::vector<std::string>& unknown,
                                 FieldValidation validation, std::vector<std::string>& warnings) {
  constexpr size_t kMostTold = 100;
  wire::Check refused;
  for (const std::string& field : unknown) {
    if (refused.causes().size() == kMostTold) break;
    if (validation == FieldValidation::kStrict || field.starts_with("spec.sandbox.") ||
        field.starts_with("spec.security.")) {
      refused.unknown(field);
    } else if (validation == FieldValidation::kWarn && warnings.size() < kMostTold) {
      warnings.push_back(cat("unknown field \"", field, "\" is left out"));
    }
  }
  return refused;
}

Error all_faults(wire::Check unknown, const Status& decoded) {
  if (decoded.ok()) return unknown.error();
  for (const Cause& each : decoded.error().causes)
    unknown.fail(each.field, each.message, each.kind);
  return unknown.error();
}

void add_warnings(Response& response, const std::vector<std::string>& warnings) {
  constexpr size_t kMost = 20;
  constexpr size_t kLongest = 200;
  for (size_t i = 0; i < std::min(warnings.size(), kMost); ++i) {
    std::string quoted;
    for (const char c : warnings[i].substr(0, kLongest)) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c >= ' ' && c < 0x7f ? c : '?';
    }
    response.headers.emplace_back("Warning", cat("299 - \"", quoted, "\""));
  }
}

}  // namespace paddock::api
