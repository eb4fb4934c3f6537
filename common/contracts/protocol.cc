#include "common/contracts/protocol.h"

#include "common/base/text.h"

namespace paddock::contracts {
namespace {

Status judge(int64_t other, int64_t ours, std::string_view they, std::string_view we) {
  if (compatible(other, ours)) return {};
  const std::string_view older = other < ours ? they : we;
  return Error{Code::kFailedPrecondition, kProtocolMismatch,
               cat("the ", they, " speaks protocol ", other, " and this ", we, " ", ours,
                   "; they may be one apart: upgrade the ", older,
                   " to the release of the other, or to the one before")};
}

}  // namespace

Result<int64_t> protocol_said(std::string_view header) {
  if (header.empty()) return kUnsaidProtocol;
  const auto number = parse_integer<int64_t>(header);
  if (number && *number >= 1 && *number <= 1'000'000) return *number;
  return invalid_argument("PROTOCOL_INVALID", "a protocol's version is a whole number from 1 on");
}

Status check_agent_protocol(int64_t agent, int64_t ours) {
  return judge(agent, ours, "node agent", "controller");
}

Status check_controller_protocol(int64_t controller, int64_t ours) {
  return judge(controller, ours, "controller", "node agent");
}

}  // namespace paddock::contracts
