// What is wrong with the arguments of a call. Each fault costs a model a turn, so all are told at
// once, and no more than fit into one short line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace paddock::mcp {

class Faults {
 public:
  void add(std::string message, std::string field);
  // What one that can be wrong in one way said; nothing of one that is good.
  void add(const Status& status);
  size_t count() const { return count_; }
  // Whether the message of another one would be told.
  bool has_room() const;
  // ARGUMENT_INVALID, with all of them as causes.
  Status status() const;

 private:
  std::vector<Cause> told_;
  size_t count_ = 0;
};

}  // namespace paddock::mcp
