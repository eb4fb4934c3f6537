// Calls: sending, repeating, and documents of any kind.
#include "common/client/controller_client.h"

#include "common/base/text.h"
#include "common/client/reconnect.h"
#include "common/client/requests.h"
#include "common/wire/json.h"

namespace paddock::client {

ControllerClient::ControllerClient(http::Endpoint endpoint, std::optional<Millis> patience)
    : patience_(patience),
      endpoint_(std::move(endpoint)),
      http_(http::make_client(endpoint_)),
      parallel_([](const std::vector<std::function<void()>>& tasks) {
        for (const auto& task : tasks) task();
      }),
      compress_(!on_this_host(endpoint_)) {}
ControllerClient::~ControllerClient() = default;

Result<http::Response> ControllerClient::once(http::Client& http, const http::Request& request,
                                              Failure& failure) {
  Result<http::Response> response = http.send(request);
  if (!response) {
    failure = {response.error(), {}, true};
    return response;
  }
  clock_gap_ms_.store(response->clock_gap.value_or(Millis(0)).count());
  if (response->status >= 200 && response->status < 300) return response;
  failure = failure_of(*response);
  return failure.error;
}

bool ControllerClient::wait_for_next(Patience& asking, const Failure& failure, bool repeatable) {
  const std::optional<Millis> delay = asking.after(failure, repeatable, steady_now(), random_);
  if (!delay) return false;
  if (asking.is_long() && on_waiting_ && !told_waiting_.exchange(true)) on_waiting_(failure.error);
  return pause_.wait(*delay);
}

Result<http::Response> ControllerClient::call(http::Client& http, http::Request request,
                                              bool keyed) {
  const bool repeatable = safe_to_repeat(request.method, keyed);
  for (Patience asking(patience_, servers());;) {
    bound_try(request, asking.for_try(steady_now()), repeatable);
    Failure failure;
    Result<http::Response> response = once(http, request, failure);
    if (response) return response;
    if (!wait_for_next(asking, failure, repeatable)) return response;
  }
}

Result<http::Response> ControllerClient::send_by(http::Client& http, const http::Request& request) {
  bool heard = false;
  http::Request asked = request;
  if (request.on_data) {
    asked.on_data = [&](std::string_view piece) {
      heard = true;
      return request.on_data(piece);
    };
  }
  const bool repeatable = safe_to_repeat(request.method, false);
  for (Patience asking(patience_, servers());;) {
    bound_try(asked, asking.for_try(steady_now()), repeatable);
    Failure failure;
    Result<http::Response> response = once(http, asked, failure);
    if (response || heard || !wait_for_next(asking, failure, repeatable)) return response;
  }
}

Result<wire::Value> ControllerClient::call_once(const http::Request& request) {
  Failure failure;
  ASSIGN_OR_RETURN(const http::Response response, once(*http_, request, failure));
  return parse_body(response);
}

Result<wire::Value> ControllerClient::call_json(http::Request request, bool keyed) {
  ASSIGN_OR_RETURN(const http::Response response, call(*http_, std::move(request), keyed));
  return parse_body(response);
}

Status ControllerClient::repeat(const Attempt& attempt) {
  for (Patience asking(patience_, servers());;) {
    Failure failure;
    Status status = attempt(asking.for_try(steady_now()), failure);
    if (status) return status;
    failure.error = status.error();
    if (!wait_for_next(asking, failure, true)) return status;
  }
}

Result<wire::Value> ControllerClient::get(const std::string& target, ListForm form) {
  return call_json(read_request(target, form), false);
}

Result<wire::Value> ControllerClient::send(const std::string& method, const std::string& target,
                                           const wire::Value& body,
                                           const std::string& idempotency_key) {
  http::Request request = body.is_null() ? plain_request(method, target)
                                         : json_request(method, target, wire::to_json(body));
  if (!idempotency_key.empty()) request.headers["Idempotency-Key"] = idempotency_key;
  return call_json(std::move(request), !idempotency_key.empty());
}

Result<wire::Value> ControllerClient::patch(const std::string& target,
                                            const std::string& media_type,
                                            const wire::Value& body) {
  http::Request request = json_request("PATCH", target, wire::to_json(body));
  request.headers["Content-Type"] = media_type;
  return call_json(std::move(request), true);
}

void ControllerClient::abort() {
  pause_.interrupt();
  http_->abort();
  lanes_.with([](std::vector<std::weak_ptr<http::Client>>& lanes) {
    for (const auto& each : lanes) {
      if (const std::shared_ptr<http::Client> lane = each.lock()) lane->abort();
    }
  });
}

}  // namespace paddock::client
