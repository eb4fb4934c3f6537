#include "node-agent/sandbox/request.h"

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMaxRequestBytes = size_t{16} << 20;

contracts::SandboxResult unreadable(const Error& error) {
  contracts::SandboxResult result;
  result.reason = cat("INVALID_REQUEST: ", error.describe());
  return result;
}

void shorten(contracts::SandboxResult& result) {
  result.cmd.clear();
  result.enforced.clear();
  result.policy.reset();
}

}  // namespace

Result<contracts::LaunchRequest> read_request(const os::Fd& file) {
  ASSIGN_OR_RETURN(const std::string text, os::read_all(file.get(), kMaxRequestBytes));
  ASSIGN_OR_RETURN(const wire::Value value,
                   wire::parse_json(text, {.max_bytes = kMaxRequestBytes}));
  return wire::decode<contracts::LaunchRequest>(value);
}

Status answer(const Result<contracts::LaunchRequest>& request, EventWriter& events,
              const Launch& launch) {
  contracts::SandboxResult result = request.ok() ? launch(*request) : unreadable(request.error());
  if (request.ok() && request->brief_result) shorten(result);
  events.add(contracts::FrameType::kResult, wire::to_json(wire::encode(result)));
  return events.write_rest();
}

}  // namespace paddock::sandbox
