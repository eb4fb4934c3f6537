#include "controller/e2b/connect.h"

#include "common/base/text.h"
#include "common/contracts/status.h"
#include "common/wire/json.h"

namespace paddock::e2b {
namespace {

using wire::Value;

constexpr size_t kHead = 5;
constexpr uint8_t kEndOfStream = 2;
// Deeper than any message of theirs, and no work for whoever sends it.
constexpr wire::ParseLimits kLimits{.max_depth = 16, .max_values = 20'000};

struct Row {
  std::string_view code;
  int status;
};
constexpr Row kUnavailable{"unavailable", 502};

Error no_envelope(std::string message) {
  return invalid_argument("ENVELOPE_INVALID", std::move(message));
}

std::string framed(uint8_t flags, const std::string& text) {
  const auto size = static_cast<uint32_t>(text.size());
  std::string out;
  out.reserve(kHead + text.size());
  out += static_cast<char>(flags);
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(size >> shift);
  return out + text;
}

uint32_t length_of(std::string_view head) {
  uint32_t length = 0;
  for (size_t i = 1; i < kHead; ++i) length = length << 8 | static_cast<uint8_t>(head[i]);
  return length;
}

bool is_over(const Error& error) {
  return error.code == Code::kGone || error.reason == "SANDBOX_NOT_FOUND";
}

Row row_of(const Error& error) {
  if (is_over(error)) return kUnavailable;
  if (error.reason == "E2B_NOT_SERVED") return {"unimplemented", 501};
  switch (error.code) {
    case Code::kInvalidArgument:
      return {"invalid_argument", 400};
    case Code::kUnauthenticated:
      return {"unauthenticated", 401};
    case Code::kPermissionDenied:
      return {"permission_denied", 403};
    case Code::kNotFound:
      return {"not_found", 404};
    case Code::kAlreadyExists:
      return {"already_exists", 409};
    case Code::kTooLarge:
      return {"out_of_range", 400};
    case Code::kResourceExhausted:
      return {"resource_exhausted", 429};
    case Code::kConflict:
    case Code::kFailedPrecondition:
      return {"failed_precondition", 400};
    case Code::kUnavailable:
      return {"aborted", 409};  // may pass when it is tried again; `unavailable` is the end
    case Code::kDeadlineExceeded:
      return {"deadline_exceeded", 504};
    case Code::kGone:
      return kUnavailable;
    case Code::kInternal:
      break;
  }
  return {"internal", 500};
}

}  // namespace

Result<Value> plain_message(std::string_view body) {
  if (trim(body).empty()) return Value(Value::Object{});
  ASSIGN_OR_RETURN(Value message, wire::parse_json(body, kLimits));
  if (message.object() == nullptr) return no_envelope("the message must be a JSON object");
  return message;
}

Result<Value> one_message(std::string_view body) {
  if (body.size() < kHead) return no_envelope("the body is shorter than the head of one envelope");
  const auto flags = static_cast<uint8_t>(body[0]);
  if ((flags & 1U) != 0) return no_envelope("compressed messages are not read: send it as it is");
  if (flags != 0) return no_envelope("the request is one message, and its flags are 0");
  const size_t announced = length_of(body);
  body.remove_prefix(kHead);
  if (announced != body.size())
    return no_envelope(
        cat("the envelope announces ", announced, " bytes, and ", body.size(), " follow"));
  return plain_message(body);
}

std::string envelope(const Value& message) { return framed(0, wire::to_json(message)); }

std::string end_of_stream(const std::optional<Error>& error) {
  Value last = Value::Object{};
  if (error) last.set("error", error_body(*error));
  return framed(kEndOfStream, wire::to_json(last));
}

std::string_view error_code(const Error& error) { return row_of(error).code; }

Value error_body(const Error& error) {
  return Value::Object{{"code", error_code(error)},
                       {"message", cat(error.message, " (", error.reason.text(), ")")}};
}

int error_status(const Error& error) { return row_of(error).status; }

int plain_error_status(const Error& error) {
  if (is_over(error)) return kUnavailable.status;
  // The tools' own exception for a full disk.
  if (error.reason == "E_LIMIT_FS" || error.reason == "E_LIMIT_FILES") return 507;
  return contracts::http_status(error.code);
}

Result<std::optional<int64_t>> timeout_ms(std::string_view header) {
  if (header.empty()) return std::optional<int64_t>();
  const auto read = parse_integer<int64_t>(header);
  if (!read || *read < 0 || header.size() > 10)
    return invalid_argument("INVALID_FIELD", "the time is milliseconds, at most ten digits",
                            "Connect-Timeout-Ms");
  return *read == 0 ? std::optional<int64_t>() : std::optional<int64_t>(*read);
}

}  // namespace paddock::e2b
