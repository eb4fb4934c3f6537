#include "controller/api/handlers/meta/mcp.h"

#include "common/contracts/status.h"
#include "common/contracts/version.h"
#include "common/mcp/tools.h"
#include "common/wire/json.h"
#include "controller/api/server/documents.h"
#include "controller/http_server/target.h"

namespace paddock::api {
namespace {

constexpr size_t kMostAnswer = 8 << 20;
constexpr size_t kMostPath = 4096;

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

// The start of what an answer streams.
class Collected final : public ResponseStream {
 public:
  Collected(mcp::Api::Text& into, size_t limit, const Request& outer)
      : into_(into), limit_(limit), outer_(outer) {}
  bool write(std::string_view bytes) override {
    into_.bytes += bytes.substr(0, limit_ - into_.bytes.size());
    into_.truncated = into_.bytes.size() == limit_;
    return open();
  }
  bool open() const override { return !into_.truncated && !outer_.client.gone(); }

 private:
  Client::WhenGone when_gone() const override { return outer_.client.when_gone; }

  mcp::Api::Text& into_;
  size_t limit_;
  const Request& outer_;
};

class OwnApi final : public mcp::Api {
 public:
  explicit OwnApi(Call& call) : call_(call) {}

  Result<wire::Value> send(const std::string& method, const std::string& target,
                           const wire::Value& body, const std::string& key) override {
    ASSIGN_OR_RETURN(const Text text, ask(method, target, body, key, kMostAnswer));
    return wire::parse_json(text.bytes);
  }
  Result<Text> read(const std::string& target, size_t limit) override {
    return ask("GET", target, {}, "", limit);
  }
  bool has_folders() const override { return false; }
  Result<Uploaded> upload(const std::string&, const std::string&) override {
    return Error{Code::kInternal, "NO_FOLDERS", "there are no folders of the caller here"};
  }
  bool pause(Millis time) override {
    events::Notifier& notifier = call_.services.notifier;
    events::Waiter waiter(call_.request.client);
    notifier.wait("", notifier.version(""), time, waiter);
    return !waiter.gone() && !notifier.stopped();
  }

 private:
  // As its caller, through everything that a request from outside passes.
  Result<Text> ask(const std::string& method, const std::string& target, const wire::Value& body,
                   const std::string& key, size_t limit) {
    ASSIGN_OR_RETURN(http_server::Target parsed, http_server::parse_target(target, kMostPath));
    TextBody bytes(body.is_null() ? std::string() : wire::to_json(body));
    Request inner{method, std::move(parsed.path), std::move(parsed.segments),
                  std::move(parsed.query)};
    inner.headers["authorization"] = call_.request.header("authorization");
    if (!body.is_null()) inner.headers["content-type"] = "application/json";
    if (!key.empty()) inner.headers["idempotency-key"] = key;
    inner.body = &bytes;
    inner.inner = true;
    inner.client = call_.request.client;
    const Response response = call_.self(inner);
    Text text;
    Collected collected(text, limit, call_.request);
    collected.write(response.body);
    if (response.stream) response.stream(collected);
    if (response.status / 100 == 2) return text;
    const auto error = wire::parse_json(text.bytes);
    return contracts::error_from_body(response.status, error ? *error : wire::Value());
  }

  Call& call_;
};

std::string name_space_of(const Call& call) {
  if (!call.principal.name_space.empty()) return call.principal.name_space;
  return call.request.parameter("namespace").value_or("default");
}

}  // namespace

Result<Response> serve_mcp(Call& call) {
  OwnApi api(call);
  const mcp::Server server = mcp::make_server(api, name_space_of(call), contracts::kProgramVersion);
  const Request& request = call.request;
  const mcp::Envelope envelope{true, request.header("mcp-protocol-version"),
                               request.header("mcp-method"), request.header("mcp-name")};
  const mcp::Reply reply = mcp::handle(server, call.body, envelope);
  Response response = reply.message ? json_response(*reply.message) : Response();
  response.status = reply.http_status;
  response.headers.emplace_back("cache-control", "no-store");
  return response;
}

}  // namespace paddock::api
