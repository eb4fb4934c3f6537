#include "common/wire/internal/tree_builder.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::wire::internal {
namespace {

constexpr size_t kManyKeys = 16;

}  // namespace

Error too_large(const ParseLimits& limits) {
  return {Code::kTooLarge, "DOCUMENT_TOO_LARGE",
          cat("the document is larger than ", limits.max_bytes, " bytes")};
}

bool TreeBuilder::refuse(Code code, Reason reason, std::string message) {
  if (!fault_) fault_ = Error{code, reason, std::move(message)};
  return false;
}

bool TreeBuilder::expects_key() const {
  return !open_.empty() && open_.back().container.object() != nullptr && !open_.back().has_key;
}

bool TreeBuilder::count_one() {
  if (++values_ <= limits_.max_values) return true;
  return refuse(Code::kTooLarge, "DOCUMENT_TOO_LARGE",
                cat("the document has more than ", limits_.max_values, " values"));
}

bool TreeBuilder::begin(Value container) {
  if (open_.size() >= limits_.max_depth) {
    return refuse(Code::kInvalidArgument, "DOCUMENT_TOO_DEEP",
                  cat("the document is nested deeper than ", limits_.max_depth, " levels"));
  }
  if (!count_one()) return false;
  open_.push_back({std::move(container), {}});
  return true;
}

bool TreeBuilder::key(std::string name) {
  if (!count_one()) return false;
  Open& here = open_.back();
  const Value::Object& members = *here.container.object();
  if (members.size() == kManyKeys) {
    for (const auto& [each, ignored] : members) here.seen.insert(each);
  }
  const bool twice = members.size() < kManyKeys ? here.container.find(name) != nullptr
                                                : !here.seen.insert(name).second;
  if (twice) {
    return refuse(cat("the key \"", name.substr(0, 100), "\" is there twice"));
  }
  here.key = std::move(name);
  here.has_key = true;
  return true;
}

bool TreeBuilder::scalar(Value&& value) {
  if (!count_one()) return false;
  attach(std::move(value));
  return true;
}

bool TreeBuilder::end() {
  Value closed = std::move(open_.back().container);
  open_.pop_back();
  attach(std::move(closed));
  return true;
}

void TreeBuilder::attach(Value&& value) {
  if (open_.empty()) {
    root_ = std::move(value);
    return;
  }
  Open& here = open_.back();
  if (Value::Object* members = here.container.object()) {
    members->emplace_back(std::move(here.key), std::move(value));
    here.has_key = false;
  } else {
    here.container.array()->push_back(std::move(value));
  }
}

}  // namespace paddock::wire::internal
