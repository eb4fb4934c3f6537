#include "common/client/requests.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/status.h"
#include "common/wire/json.h"

namespace paddock::client {
namespace {

constexpr wire::ParseLimits kLimits{size_t{64} << 20, 64,
                                    4'000'000};  // a tree of 100,000 files fits
constexpr Millis kCallSilence{30'000};
constexpr Millis kUsual{30'000};  // what asks for longer knows why

const char* accept_of(ListForm form) {
  switch (form) {
    case ListForm::kObjects:
      return "application/json";
    case ListForm::kTable:
      return "application/json;as=Table;v=v1;g=meta.k8s.io";
    case ListForm::kMetadata:
      return "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  }
  return "application/json";
}

}  // namespace

http::Request plain_request(std::string method, std::string target) {
  http::Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.headers["Accept"] = "application/json";
  return request;
}

http::Request json_request(std::string method, std::string target, std::string json) {
  http::Request request = plain_request(std::move(method), std::move(target));
  request.headers["Content-Type"] = "application/json";
  request.body = std::move(json);
  return request;
}

http::Request read_request(std::string target, ListForm form) {
  http::Request request = plain_request("GET", std::move(target));
  request.headers["Accept"] = accept_of(form);
  return request;
}

http::Request stream_request(std::string method, std::string target) {
  http::Request request = plain_request(std::move(method), std::move(target));
  request.headers["Accept"] = "*/*";
  request.headers["Content-Type"] = "application/octet-stream";
  request.timeout = Millis(0);
  request.idle_timeout = kCallSilence;
  return request;
}

void bound_try(http::Request& request, std::optional<Millis> time, bool repeatable) {
  if (!time) return;
  // Sooner than the silence that ends a try: that nobody was reached is the better word for it.
  request.connect_timeout = std::min(request.connect_timeout, *time * 4 / 5);
  if (!repeatable || request.timeout > kUsual) return;
  const bool bounded = request.idle_timeout > Millis(0);
  request.idle_timeout = bounded ? std::min(request.idle_timeout, *time) : *time;
}

namespace {

bool is_on_this_host(const std::string& url) {
  const size_t scheme = url.find("://");
  const std::string_view host = std::string_view(url).substr(scheme == url.npos ? 0 : scheme + 3);
  return host.starts_with("127.") || host.starts_with("[::1]") || host == "localhost" ||
         host.starts_with("localhost:");
}

}  // namespace

bool on_this_host(const http::Endpoint& endpoint) {
  if (!endpoint.unix_socket.empty()) return true;
  return std::ranges::all_of(http::addresses_in(endpoint.base_url), is_on_this_host);
}

Failure failure_of(const http::Response& response) {
  Failure failure;
  const Result<wire::Value> body = wire::parse_json(response.body, kLimits);
  failure.error = contracts::error_from_body(response.status, body ? *body : wire::Value());
  if (const auto found = response.headers.find("retry-after"); found != response.headers.end()) {
    failure.retry_after = parse_retry_after(found->second);
  }
  return failure;
}

Result<wire::Value> parse_body(const http::Response& response) {
  if (response.body.empty()) return wire::Value();
  Result<wire::Value> value = wire::parse_json(response.body, kLimits);
  if (value) return value;
  return Error{Code::kUnavailable, "UNEXPECTED_ANSWER", "the server's answer is not JSON"};
}

}  // namespace paddock::client
