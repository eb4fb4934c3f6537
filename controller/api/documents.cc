#include "controller/api/documents.h"

#include "common/wire/json.h"
#include "common/wire/yaml.h"

namespace paddock::api {
namespace {

constexpr size_t kMostValues = 2'000'000;

}  // namespace

Result<wire::Value> parse_document(std::string_view content_type, std::string_view bytes,
                                   size_t limit) {
  const std::string media = ascii_lower(trim(content_type.substr(0, content_type.find(';'))));
  const wire::ParseLimits limits{.max_bytes = limit, .max_values = kMostValues};
  if (media.empty() || media == "application/json" || media == "text/json")
    return wire::parse_json(bytes, limits);
  if (media == "application/yaml" || media == "application/x-yaml" || media == "text/yaml")
    return wire::parse_yaml(bytes, limits);
  return invalid_argument("MEDIA_TYPE_UNSUPPORTED",
                          "the body must be application/json or application/yaml");
}

Response json_response(const wire::Value& document, int status) {
  Response response;
  response.status = status;
  response.body = wire::to_json(document) + "\n";
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

bool flag_parameter(const Request& request, std::string_view name) {
  const std::optional<std::string> text = request.parameter(name);
  return text && (*text == "1" || *text == "true");
}

Status refuse_dry_run(const Request& request, const wire::Value& options) {
  const std::optional<std::string> query = request.parameter("dryRun");
  const wire::Value* body = options.find("dryRun");
  const bool in_body = body != nullptr && body->array() != nullptr && !body->array()->empty();
  if ((!query || query->empty()) && !in_body) return {};
  return invalid_argument("DRY_RUN_NOT_SUPPORTED", "this server has no dry runs", "dryRun");
}

}  // namespace paddock::api
