// Request bodies to documents, objects to answers.
#pragma once

#include <string>
#include <string_view>

#include "common/wire/describe.h"
#include "common/wire/near_fields.h"
#include "common/wire/value.h"
#include "controller/api/server/http.h"

namespace paddock::api {

// Parses by Content-Type: JSON (also when there is none), YAML. MEDIA_TYPE_UNSUPPORTED otherwise,
// MALFORMED_JSON, MALFORMED_YAML, DOCUMENT_TOO_DEEP, DOCUMENT_TOO_LARGE.
Result<wire::Value> parse_document(std::string_view content_type, std::string_view bytes,
                                   size_t limit);

Response json_response(const wire::Value& document, int status = 200);
Response json_text_response(std::string json, int status = 200);
Response text_response(std::string text, int status = 200);
template <class T>
Response object_response(const T& object, int status = 200) {
  return json_text_response(wire::encode_json(object), status);
}

// Bytes that a program of a caller's wrote: no browser shows them as a page of this server.
Response untrusted_response(std::string bytes);

// 201, with a secret in it that is shown this once.
Response secret_response(const wire::Value& document);

// A query parameter as a whole number. InvalidArgument (PARAMETER_INVALID).
Result<std::optional<int64_t>> integer_parameter(const Request& request, std::string_view name,
                                                 int64_t min, int64_t max);
// One that is true or false: absent is false, and without a value it is true, as for Kubernetes.
// Kubernetes takes all else as true; here it is refused: PARAMETER_INVALID.
Result<bool> flag_parameter(const Request& request, std::string_view name);

// The kind of a PATCH request, by its Content-Type.
enum class PatchKind { kMerge, kJson, kApply };
// MEDIA_TYPE_UNSUPPORTED, also for a strategic merge patch: own kinds have none.
Result<PatchKind> patch_kind(std::string_view content_type);
Result<wire::Value> parse_patch(std::string_view content_type, std::string_view bytes,
                                size_t limit);

// `dryRun=All` in the query or in a delete's options: everything but the commit.
// PARAMETER_INVALID for another value.
Result<bool> wants_dry_run(const Request& request, const wire::Value& options);
// Refuses a dry run where there is none. DRY_RUN_NOT_SUPPORTED.
Status refuse_dry_run(const Request& request, const wire::Value& options);
// Refuses fields in the body of a call that takes none: `{}`. INVALID_FIELD.
Status refuse_fields(const wire::Value& body);

// What becomes of fields that the kind does not have; refused unless the caller says otherwise.
enum class FieldValidation { kStrict, kWarn, kIgnore };
Result<FieldValidation> field_validation(const Request& request);

// The unknown fields that are refused; the others become warnings or nothing.
wire::Check judge_unknown_fields(const std::vector<std::string>& unknown,
                                 FieldValidation validation, std::vector<std::string>& warnings);
// One error for these fields and for the faults that decoding found.
Error all_faults(wire::Check unknown, const Status& decoded);
// Decodes a caller's object. Unknown fields are refused, left out with a warning or left out; those
// of a sandbox's policy are always refused. All faults are told at once. UNKNOWN_FIELD,
// INVALID_FIELD.
template <class T>
Result<T> decode_object(const wire::Value& document, FieldValidation validation,
                        std::vector<std::string>& warnings) {
  std::vector<std::string> unknown;
  Result<T> object = wire::decode<T>(document, unknown);
  const wire::Check refused = judge_unknown_fields(unknown, validation, warnings);
  if (refused.ok()) return object;
  return wire::with_near_fields(all_faults(refused, object.ok() ? Status() : object.error()),
                                wire::schema<T>);
}
// The body of a call that is no object's: unknown fields are always refused.
template <class T>
Result<T> decode_body(const wire::Value& body) {
  Result<T> decoded = wire::decode<T>(body);
  if (decoded.ok()) return decoded;
  return wire::with_near_fields(std::move(decoded).error(), wire::schema<T>);
}
// One `Warning: 299` header each.
void add_warnings(Response& response, const std::vector<std::string>& warnings);

}  // namespace paddock::api
