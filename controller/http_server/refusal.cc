#include "controller/http_server/refusal.h"

#include <array>

#include "common/contracts/status.h"
#include "common/wire/json.h"

namespace paddock::http_server {
namespace {

struct Row {
  std::string_view reason;
  int status;
  std::string_view kubernetes;  // the word of the Status object
};
constexpr std::array kRows = {
    Row{"HEADERS_TOO_SLOW", 408, "Timeout"},
    Row{"BODY_TOO_SLOW", 408, "Timeout"},
    Row{"METHOD_NOT_ALLOWED", 405, "MethodNotAllowed"},
    Row{"LENGTH_REQUIRED", 411, "BadRequest"},
    Row{"MEDIA_TYPE_UNSUPPORTED", 415, "UnsupportedMediaType"},
    Row{"TARGET_TOO_LONG", 414, "BadRequest"},
    Row{"CONTENT_ENCODING_UNSUPPORTED", 415, "UnsupportedMediaType"},
    Row{"EXPECTATION_UNSUPPORTED", 417, "BadRequest"},
    Row{"RANGE_UNSATISFIABLE", 416, "BadRequest"},
    Row{"HOST_DENIED", 421, "BadRequest"},
    Row{"HEADERS_TOO_LARGE", 431, "BadRequest"},
    Row{"METHOD_UNSUPPORTED", 501, "MethodNotAllowed"},
    Row{"TRANSFER_ENCODING_UNSUPPORTED", 501, "BadRequest"},
    Row{"HTTP_VERSION_UNSUPPORTED", 505, "BadRequest"},
};

constexpr std::string_view kRetryAfterSeconds = "retryAfterSeconds";  // a fact of an error

const Row* row_of(const Error& error) {
  for (const Row& row : kRows) {
    if (row.reason == error.reason) return &row;
  }
  return nullptr;
}

}  // namespace

int refusal_status(const Error& error) {
  const Row* row = row_of(error);
  return row == nullptr ? contracts::http_status(error.code) : row->status;
}

wire::Value refusal_document(const Error& error) {
  wire::Value body = contracts::status_body(error);
  if (const Row* row = row_of(error); row != nullptr) {
    body.set("code", row->status);
    body.set("reason", row->kubernetes);
  }
  return body;
}

Response refusal(const Error& error) {
  Response response;
  response.status = refusal_status(error);
  response.body = wire::to_json(refusal_document(error));
  for (const auto& [name, fact] : error.facts) {
    if (name == kRetryAfterSeconds) response.headers.emplace_back("retry-after", fact);
  }
  return response;
}

}  // namespace paddock::http_server
