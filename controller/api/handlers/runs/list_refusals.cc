#include "controller/api/handlers/runs/list_refusals.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::api {
namespace {

constexpr size_t kMostListed = 100;

bool is_about_input(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
    case Code::kPermissionDenied:
    case Code::kNotFound:
    case Code::kAlreadyExists:
    case Code::kConflict:
    case Code::kTooLarge:
    case Code::kResourceExhausted:
    case Code::kFailedPrecondition:
      return true;
    case Code::kUnauthenticated:
    case Code::kGone:
    case Code::kUnavailable:
    case Code::kDeadlineExceeded:
    case Code::kInternal:
      return false;
  }
  return false;
}

}  // namespace

// What a system call says of this host's files has a code that sounds like one about input.
Status ListRefusals::add(size_t index, Error error) {
  if (!is_about_input(error.code) || error.reason == "SYSTEM_ERROR") return error;
  if (error.causes.empty()) error.causes.push_back({{}, error.message});
  if (error.causes.size() > kMostListed) error.causes.resize(kMostListed);
  for (Cause& cause : error.causes) cause.field = item_path(index, cause.field);
  errors_.emplace(index, std::move(error));
  return {};
}

Status ListRefusals::status() const {
  if (errors_.empty()) return {};
  // A denial is told, counted and recorded as one, whatever else is wrong.
  const auto denial = std::ranges::find_if(
      errors_, [](const auto& each) { return each.second.code == Code::kPermissionDenied; });
  const auto& [index, first] = denial != errors_.end() ? *denial : *errors_.begin();
  Error all = first;
  all.causes.clear();
  all.message = cat(item_path(index, {}), ": ", first.message);
  if (const size_t more = errors_.size() - 1; more > 0)
    all.message += cat(" (and ", more, more == 1 ? " more item)" : " more items)");
  for (const auto& [item, error] : errors_) {
    for (const Cause& cause : error.causes) {
      if (all.causes.size() == kMostListed) return all;
      all.causes.push_back(cause);
    }
  }
  return all;
}

}  // namespace paddock::api
