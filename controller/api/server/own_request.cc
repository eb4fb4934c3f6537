#include "controller/api/server/own_request.h"

#include "common/base/text.h"
#include "common/contracts/status.h"
#include "common/wire/json.h"
#include "controller/api/server/authenticate.h"
#include "controller/api/server/stream_here.h"
#include "controller/http_server/target.h"

namespace paddock::api {
namespace {

class TextBody final : public BodyReader {
 public:
  explicit TextBody(std::string text) : text_(std::move(text)) {}
  int64_t length() const override { return static_cast<int64_t>(text_.size()); }
  Result<std::string> read(size_t limit) override {
    if (text_.size() <= limit) return text_;
    return Error{Code::kTooLarge, "BODY_TOO_LARGE", "the body is too large"};
  }
  Status stream(size_t limit, const std::function<Status(std::string_view)>& take) override {
    ASSIGN_OR_RETURN(const std::string text, read(limit));
    return take(text);
  }

 private:
  std::string text_;
};

}  // namespace

Response ask_itself(const Call& call, OwnRequest wanted) {
  TextBody bytes(std::move(wanted.body));
  Request inner;
  inner.method = std::move(wanted.method);
  inner.path = http_server::path_of(wanted.segments);
  inner.segments = std::move(wanted.segments);
  inner.query = std::move(wanted.query);
  inner.headers = std::move(wanted.headers);
  // The inner request has the token of the outer one. That token let the caller in, so it can be
  // read.
  const auto secret = secret_of(call.request);
  if (secret.ok() && !secret->empty()) inner.headers["authorization"] = cat("Bearer ", *secret);
  inner.body = &bytes;
  inner.inner = true;
  inner.gateway_run = call.request.gateway_run;
  inner.client = call.request.client;
  return answer_here(call.self(inner), inner.client);
}

Status refusal_in(const Response& answer) {
  if (answer.status / 100 == 2) return {};
  const auto body = wire::parse_json(answer.body);
  return contracts::error_from_body(answer.status, body.ok() ? *body : wire::Value());
}

}  // namespace paddock::api
