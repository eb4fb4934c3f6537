// Request bodies to documents, objects to answers.
#pragma once

#include <string>
#include <string_view>

#include "common/wire/describe.h"
#include "common/wire/value.h"
#include "controller/http_server/http_message.h"

namespace paddock::api {

// Parses by Content-Type: JSON (also when there is none), YAML. MEDIA_TYPE_UNSUPPORTED otherwise,
// MALFORMED_JSON, MALFORMED_YAML, DOCUMENT_TOO_DEEP, DOCUMENT_TOO_LARGE.
Result<wire::Value> parse_document(std::string_view content_type, std::string_view bytes,
                                   size_t limit);

Response json_response(const wire::Value& document, int status = 200);
Response text_response(std::string text, int status = 200);
template <class T>
Response object_response(const T& object, int status = 200) {
  return json_response(wire::encode(object), status);
}

// A query parameter as a whole number. InvalidArgument (PARAMETER_INVALID).
Result<std::optional<int64_t>> integer_parameter(const Request& request, std::string_view name,
                                                 int64_t min, int64_t max);
bool flag_parameter(const Request& request, std::string_view name);  // true for 1 and true

// DRY_RUN_NOT_SUPPORTED if the query or the options in the body ask for one: it must not be
// ignored.
Status refuse_dry_run(const Request& request, const wire::Value& options);

}  // namespace paddock::api
