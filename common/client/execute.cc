// POST /execute.
#include "common/client/controller_client.h"
#include "common/client/requests.h"

namespace paddock::client {
namespace {

constexpr Millis kBesideSnippet{20'000};  // beside what the snippet may take

}  // namespace

Result<contracts::ExecuteAnswer> ControllerClient::execute(
    const contracts::ExecuteRequest& request) {
  http::Request call = json_request("POST", "/execute", wire::encode_json(request));
  const int64_t seconds = request.timeout_seconds.value_or(contracts::kDefaultTimeoutSeconds);
  call.timeout = Millis(seconds * 1000) + kBesideSnippet;
  ASSIGN_OR_RETURN(const wire::Value answer, call_json(call, false));
  return decode_answer<contracts::ExecuteAnswer>(answer);
}

}  // namespace paddock::client
