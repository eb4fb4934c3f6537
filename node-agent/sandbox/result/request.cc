#include "node-agent/sandbox/result/request.h"

#include <utility>

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/contracts/sandbox_refusal.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/result/redact.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMaxRequestBytes = size_t{16} << 20;

contracts::SandboxResult unreadable(const Error& error) {
  contracts::SandboxResult result;
  contracts::tell_not_started({Code::kInvalidArgument, "INVALID_REQUEST", error.describe()},
                              result);
  return result;
}

void shorten(contracts::SandboxResult& result) {
  result.cmd.clear();
  result.enforced.clear();
  result.policy.reset();
}

// Drops output that the log and the run have as well; `truncated` tells of stdout and stderr.
void leave_out_output(contracts::SandboxResult& result) {
  result.truncated.out |= !std::exchange(result.out, {}).empty();
  result.truncated.err |= !std::exchange(result.err, {}).empty();
}

// All that a command can make long.
void leave_out_lists(contracts::SandboxResult& result) {
  shorten(result);
  result.denials.clear();
  result.usage.network.clear();
}

void tell_of_lost_output(const EventWriter& events, contracts::SandboxResult& result) {
  const int64_t lost = events.lost_out() + events.lost_err();
  if (lost == 0) return;
  result.truncated.out |= events.lost_out() > 0;
  result.truncated.err |= events.lost_err() > 0;
  const bool limited = events.met_file_limit();
  const std::string why =
      cat(limited ? "the node may make no larger file (RLIMIT_FSIZE of its agent): "
                  : "the disk of the node was full: ",
          lost, " bytes of the output are lost");
  result.reason = result.reason.empty() ? why : cat(result.reason, "; ", why);
  const bool ended_by_itself = result.status == contracts::SandboxStatus::kOk ||
                               result.status == contracts::SandboxStatus::kFailed;
  if (ended_by_itself && !result.error_class)
    result.code = limited ? contracts::kNodeFileLimit : contracts::kNodeDiskFull;
}

// The result as text, with as much of it as there is room for.
std::string result_text(EventWriter& events, contracts::SandboxResult& result) {
  std::string text = wire::encode_json(result);
  for (const auto leave_out : {leave_out_output, leave_out_lists}) {
    if (events.has_room_for_result(text.size())) break;
    leave_out(result);
    text = wire::encode_json(result);
  }
  return text;
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
  if (request.ok()) redact(secret_words(*request), result);
  TRY(events.write_rest());
  tell_of_lost_output(events, result);
  events.add(contracts::FrameType::kResult, result_text(events, result));
  TRY(events.write_rest());
  events.close_room();
  return {};
}

}  // namespace paddock::sandbox
