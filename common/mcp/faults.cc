#include "common/mcp/faults.h"

#include <utility>

#include "common/base/text.h"
#include "common/mcp/arguments.h"

namespace paddock::mcp {
namespace {

constexpr size_t kMostTold = 20;

}  // namespace

bool Faults::has_room() const { return told_.size() < kMostTold; }

void Faults::add(std::string message, std::string field) {
  ++count_;
  if (has_room()) told_.push_back({std::move(field), std::move(message)});
}

void Faults::add(const Status& status) {
  if (status.ok()) return;
  for (const Cause& cause : status.error().causes) add(cause.message, cause.field);
}

Status Faults::status() const {
  if (told_.empty()) return {};
  Error error = bad_argument(told_.front().message, "");
  if (count_ > 1) error.message += cat(" (and ", count_ - 1, " more)");
  error.causes = told_;
  return error;
}

}  // namespace paddock::mcp
