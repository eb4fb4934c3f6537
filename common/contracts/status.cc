#include "common/contracts/status.h"

#include <array>

#include "common/base/text.h"

namespace paddock::contracts {
namespace {

struct Row {
  Code code;
  int http;
  std::string_view reason;  // Kubernetes' own word
};
constexpr std::array kRows = {
    Row{Code::kInvalidArgument, 400, "BadRequest"},
    Row{Code::kUnauthenticated, 401, "Unauthorized"},
    Row{Code::kPermissionDenied, 403, "Forbidden"},
    Row{Code::kNotFound, 404, "NotFound"},
    Row{Code::kAlreadyExists, 409, "AlreadyExists"},
    Row{Code::kConflict, 409, "Conflict"},
    Row{Code::kGone, 410, "Expired"},
    Row{Code::kTooLarge, 413, "RequestEntityTooLarge"},
    Row{Code::kResourceExhausted, 429, "TooManyRequests"},
    Row{Code::kFailedPrecondition, 422, "Invalid"},
    Row{Code::kUnavailable, 503, "ServiceUnavailable"},
    Row{Code::kDeadlineExceeded, 504, "Timeout"},
    Row{Code::kInternal, 500, "InternalError"},
};

const Row& row_of(Code code) {
  for (const Row& row : kRows) {
    if (row.code == code) return row;
  }
  panic("error code without an HTTP status");
}

// Kubernetes' word for what is wrong with a field; empty for the word of all others.
std::string_view cause_word(CauseKind kind) {
  switch (kind) {
    case CauseKind::kRequired:
      return "FieldValueRequired";
    case CauseKind::kWrongType:
      return "FieldValueTypeInvalid";
    case CauseKind::kNotSupported:
      return "FieldValueNotSupported";
    case CauseKind::kInvalid:
    case CauseKind::kUnknownField:
      break;
  }
  return "";
}

wire::Value causes_of(const Error& error, bool words) {
  wire::Value causes = wire::Value::Array{};
  for (const Cause& cause : error.causes) {
    wire::Value told = wire::Value::Object{{"field", cause.field}, {"message", cause.message}};
    if (const auto word = cause_word(cause.kind); words && !word.empty()) told.set("reason", word);
    causes.push_back(std::move(told));
  }
  return causes;
}

// Of an answer. A reason whose status is not that of its code says itself which code it has.
Code code_of(int http_status, std::string_view word, const Reason& reason) {
  const reasons::Row* own = reason.row();
  Code code = http_status >= 500 ? Code::kUnavailable : Code::kInvalidArgument;
  for (const Row& row : kRows) {
    if (own != nullptr && own->http == http_status && own->codes == reasons::bit(row.code))
      return row.code;
  }
  for (const Row& row : kRows) {
    if (row.http != http_status) continue;
    code = row.code;
    if (word == row.reason) break;
  }
  return code;
}

}  // namespace

int http_status(Code code) { return row_of(code).http; }

wire::Value status_body(const Error& error) {
  const Row& row = row_of(error.code);
  wire::Value details = wire::Value::Object{{"causes", causes_of(error, false)}};
  for (const auto& [name, fact] : error.facts) details.set(name, fact);
  return wire::Value::Object{
      {"kind", "Status"},
      {"apiVersion", "v1"},
      {"metadata", wire::Value::Object{}},
      {"status", "Failure"},
      {"message", error.message},
      {"reason", row.reason},
      {"details", wire::Value::Object{{"causes", causes_of(error, true)}}},
      {"code", row.http},
      {"error", wire::Value::Object{{"code", error.reason},
                                    {"message", error.message},
                                    {"retryable", retryable(error.code)},
                                    {"details", std::move(details)}}},
  };
}

Error error_from_body(int http_status, const wire::Value& body) {
  Error error;
  error.reason = Reason::parse(body.text("error.code"));
  error.code = code_of(http_status, body.text("reason"), error.reason);
  error.message = body.text("message");
  if (http_status >= 500) error.facts.emplace_back(kServerFailed, std::to_string(http_status));
  if (error.reason.empty()) error.reason = "UNEXPECTED_ANSWER";
  if (error.message.empty()) error.message = cat("the server answered ", http_status);
  if (const wire::Value* causes = body.at("error.details.causes");
      causes != nullptr && causes->array() != nullptr) {
    for (const wire::Value& cause : *causes->array())
      error.causes.push_back({cause.text("field"), cause.text("message")});
  }
  if (const wire::Value* details = body.at("error.details");
      details != nullptr && details->object()) {
    for (const auto& [name, fact] : *details->object()) {
      if (fact.string() != nullptr) error.facts.emplace_back(name, *fact.string());
    }
  }
  return error;
}

}  // namespace paddock::contracts
