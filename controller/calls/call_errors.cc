#include "controller/calls/call_errors.h"

namespace paddock::calls {

Error lost(std::string reason, std::string message) {
  return {Code::kUnavailable, std::move(reason), std::move(message)};
}

Error try_later(std::string reason, std::string message) {
  Error error{Code::kResourceExhausted, std::move(reason), std::move(message)};
  error.facts = {{"retryAfterSeconds", "1"}};
  return error;
}

Error no_node(const std::string& node) {
  return lost("NO_NODE", node.empty() ? "no node takes such calls now; try again"
                                      : "its node cannot be reached now; try again");
}

}  // namespace paddock::calls
