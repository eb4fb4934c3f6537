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

// `items[2].spec.timeout: must be …`: the path stands there once and whole, as its cause has it.
std::string told_of(size_t index, const Error& error) {
  const std::string& field = error.causes.front().field;
  std::string_view what = error.message;
  if (field.empty()) return cat(item_path(index, {}), ": ", what);
  const bool names_it = what.starts_with(cat(field, ": ")) || what.starts_with(cat(field, " "));
  if (names_it) return cat(item_path(index, field), what.substr(field.size()));
  const bool only = error.causes.size() == 1 && error.causes.front().message == what;
  return cat(item_path(index, only ? field : ""), ": ", what);
}

}  // namespace

// A system error about this host's files may have the code of an error about input, and is not the
// item's fault.
Status ListRefusals::add(size_t index, Error error) {
  if (!is_about_input(error.code) || error.reason == "SYSTEM_ERROR") return error;
  if (error.causes.empty()) error.causes.push_back({{}, error.message});
  if (error.causes.size() > kMostListed) error.causes.resize(kMostListed);
  error.message = told_of(index, error);
  error.faults = 0;
  for (Cause& cause : error.causes) cause.field = item_path(index, cause.field);
  errors_.emplace(index, std::move(error));
  return {};
}

Status ListRefusals::status() const {
  if (errors_.empty()) return {};
  // A denial is told, counted and recorded as one, whatever else is wrong.
  const auto denial = std::ranges::find_if(
      errors_, [](const auto& each) { return each.second.code == Code::kPermissionDenied; });
  Error all = denial != errors_.end() ? denial->second : errors_.begin()->second;
  all.causes.clear();
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
