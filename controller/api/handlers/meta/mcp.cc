#include "controller/api/handlers/meta/mcp.h"

#include <algorithm>
#include <memory>

#include "common/contracts/names.h"
#include "common/contracts/status.h"
#include "common/contracts/version.h"
#include "common/mcp/tools.h"
#include "common/wire/json.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/own_request.h"
#include "controller/api/server/stream_here.h"
#include "controller/events/notifier.h"
#include "controller/http_server/target.h"

namespace paddock::api {
namespace {

// More than any answer has: two full streams of a command are six bytes a character as JSON.
constexpr size_t kMostAnswer = size_t{64} << 20;
constexpr size_t kMostPath = 4096;

// A part of what an answer streams: what is before it is passed over.
class Collected final : public ResponseStream {
 public:
  Collected(mcp::Api::Part& into, int64_t from, size_t limit, const Request& outer)
      : into_(into), before_(static_cast<size_t>(from)), limit_(limit), outer_(outer) {}
  bool write(std::string_view bytes) override {
    const size_t passed = std::min(before_, bytes.size());
    before_ -= passed;
    bytes.remove_prefix(passed);
    const size_t room = limit_ - into_.bytes.size();
    into_.bytes += bytes.substr(0, room);
    into_.more = into_.more || bytes.size() > room;
    return open();
  }
  bool open() const override { return !broken_ && !into_.more && !outer_.client.gone(); }
  void break_off() override { broken_ = !into_.more; }  // else it has what was asked for
  bool broken() const { return broken_; }

 private:
  DisconnectToken::WhenGone when_gone() const override { return outer_.client.when_gone; }

  mcp::Api::Part& into_;
  size_t before_;
  size_t limit_;
  const Request& outer_;
  bool broken_ = false;
};

class OwnApi final : public mcp::Api {
 public:
  explicit OwnApi(Call& call) : call_(call) {}

  Result<wire::Value> send(const Ask& wanted) override {
    Inner inner{wanted.method, wanted.target, {}, {}};
    if (!wanted.body.is_null()) {
      inner.body = wire::to_json(wanted.body);
      inner.headers["content-type"] = "application/json";
    }
    if (!wanted.key.empty()) inner.headers["idempotency-key"] = wanted.key;
    return answer(std::move(inner));
  }
  std::unique_ptr<Api> beside() override { return std::make_unique<OwnApi>(call_); }
  Result<wire::Value> put(const std::string& target, const std::string& bytes) override {
    return answer({"PUT", target, bytes, {{"content-type", "application/octet-stream"}}});
  }
  Result<Part> read(const std::string& target, int64_t from, size_t limit) override {
    return ask({"GET", target, {}, {}}, from, limit);
  }
  bool has_folders() const override { return false; }
  Result<LeftOut> left_out_of(const std::string&) override { return LeftOut{}; }
  Result<Uploaded> upload(const std::string&, const std::string&, const wire::Value&) override {
    return Error{Code::kInternal, "NO_FOLDERS", "there are no folders of the caller here"};
  }
  bool pause(Millis time) override {
    events::Notifier& notifier = call_.services.notifier;
    events::Waiter waiter(call_.request.client);
    notifier.wait("", notifier.version(""), time, waiter);
    return !waiter.gone() && !notifier.stopped();
  }

 private:
  struct Inner {
    std::string method;
    std::string target;
    std::string body;
    std::map<std::string, std::string> headers;
  };

  Result<wire::Value> answer(Inner inner) {
    ASSIGN_OR_RETURN(const Part part, ask(std::move(inner), 0, kMostAnswer));
    return part.bytes.empty() ? Result<wire::Value>(wire::Value())
                              : wire::parse_json(part.bytes, {.max_bytes = kMostAnswer});
  }

  // Sends a request to our own API as the caller, through every step that a request from outside
  // takes.
  Result<Part> ask(Inner wanted, int64_t from, size_t limit) {
    ASSIGN_OR_RETURN(http_server::Target parsed,
                     http_server::parse_target(wanted.target, kMostPath));
    const Response response = ask_itself(
        call_, {std::move(wanted.method), std::move(parsed.segments), std::move(parsed.query),
                std::move(wanted.body), std::move(wanted.headers)});
    const bool good = response.status / 100 == 2;
    Part part;
    part.json = response.content_type.starts_with("application/json");
    Collected collected(part, good ? from : 0, limit, call_.request);
    collected.write(response.body);
    stream_here(response, collected);
    if (collected.broken())
      return Error{Code::kUnavailable, "STREAM_LOST", "the answer broke off; ask again"};
    if (good) return part;
    const auto error = wire::parse_json(part.bytes);
    return contracts::error_from_body(response.status, error ? *error : wire::Value());
  }

  Call& call_;
};

// A token's own, whatever the address says.
Result<std::string> name_space_of(const Call& call) {
  if (!call.principal.name_space.empty()) return call.principal.name_space;
  std::string asked = call.request.parameter("namespace").value_or("default");
  if (contracts::is_dns_label(asked)) return asked;
  return invalid_argument("NAMESPACE_INVALID",
                          "a namespace has lower-case letters, digits and -, at most 63",
                          "namespace");
}

}  // namespace

Result<Response> serve_mcp(Call& call) {
  ASSIGN_OR_RETURN(const std::string name_space, name_space_of(call));
  OwnApi api(call);
  const mcp::Server server = mcp::make_server(api, name_space, contracts::kProgramVersion);
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
