// How requests to the controller are written and its answers read. Pure; for common/client only.
#pragma once

#include <string>

#include "common/client/controller_client.h"
#include "common/client/retry.h"
#include "common/http/http_client.h"
#include "common/wire/describe.h"

namespace paddock::client {

http::Request plain_request(std::string method, std::string target);
http::Request json_request(std::string method, std::string target, std::string json);
// Reads objects, in the media types of the Kubernetes API.
http::Request read_request(std::string target, ListForm form);
// Bytes of any amount: no limit on the whole, but on silence.
http::Request stream_request(std::string method, std::string target);

// Gives one try no more than this time without any sign of an answer. What must not be sent twice,
// or takes its time, is given up only before it was sent.
void bound_try(http::Request& request, std::optional<Millis> time, bool repeatable);

// Whether the server is reached without a network: a unix socket or a loopback address.
bool on_this_host(const http::Endpoint& endpoint);

// The meaning of an answer other than 2xx.
Failure failure_of(const http::Response& response);
Result<wire::Value> parse_body(const http::Response& response);

// The answer as a contract; what does not fit it is the server's fault.
template <class T>
Result<T> decode_answer(const wire::Value& value) {
  Result<T> decoded = wire::decode<T>(value);
  if (decoded) return decoded;
  return Error{Code::kUnavailable, "UNEXPECTED_ANSWER",
               "the server's answer is not understood: " + decoded.error().describe()};
}

}  // namespace paddock::client
