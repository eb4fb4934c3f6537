// Builds a Value from a parser's events and refuses what is over the limits before storing it.
// Used by the JSON and the YAML parser; one builder per document, one thread.
// Each call returns false when the document must be refused; fault() then says why.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/base/reason.h"
#include "common/wire/json.h"
#include "common/wire/value.h"

namespace paddock::wire::internal {

class TreeBuilder {
 public:
  // `malformed` is the reason of errors that are not about limits.
  TreeBuilder(const ParseLimits& limits, Reason malformed)
      : limits_(limits), malformed_(malformed) {}

  bool begin_array() { return begin(Value::Array{}); }
  bool begin_object() { return begin(Value::Object{}); }
  bool key(std::string name);
  bool scalar(Value&& value);
  bool end();

  // Whether the next event of an object names a member.
  bool expects_key() const;
  // Records why the document is refused; the first fault stays. Always returns false.
  bool refuse(std::string message) {
    return refuse(Code::kInvalidArgument, malformed_, std::move(message));
  }
  const std::optional<Error>& fault() const { return fault_; }
  Value take() { return std::move(root_); }

 private:
  // A container that is not closed yet. It moves into its parent when it is.
  struct Open {
    Value container;
    std::string key;
    bool has_key = false;
    std::unordered_set<std::string> seen = {};  // keys, once there are many
  };
  bool refuse(Code code, Reason reason, std::string message);
  bool begin(Value container);
  bool count_one();
  void attach(Value&& value);

  ParseLimits limits_;
  Reason malformed_;
  std::vector<Open> open_;
  Value root_;
  size_t values_ = 0;
  std::optional<Error> fault_;
};

Error too_large(const ParseLimits& limits);

}  // namespace paddock::wire::internal
