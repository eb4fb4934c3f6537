#include "controller/calls/call_errors.h"

#include "common/base/text.h"

namespace paddock::calls {
namespace {

constexpr const char* kNone =
    "no node takes such calls now; try again (`paddock get nodes` names those that are cordoned or "
    "have a full disk, `paddock doctor` what else keeps a node from them)";

}  // namespace

Error lost(Reason reason, std::string message) {
  return {Code::kUnavailable, reason, std::move(message)};
}

Error try_later(Reason reason, std::string message) {
  Error error{Code::kResourceExhausted, reason, std::move(message)};
  error.facts = {{"retryAfterSeconds", "1"}};
  return error;
}

Error no_node(const std::string& node) {
  if (node.empty()) return lost("NO_NODE", kNone);
  return lost("NO_NODE",
              cat("its node ", node, " cannot be reached now; try again (`paddock describe node ",
                  node, "` says more)"));
}

Error not_understood() { return lost("UNEXPECTED_ANSWER", "the node's answer is not understood"); }

}  // namespace paddock::calls
