// What is wrong with the items of a list, told in one answer.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "common/base/result.h"

namespace paddock::api {

inline std::string item_path(size_t index, const std::string& field) {
  return "items[" + std::to_string(index) + "]" + (field.empty() ? "" : "." + field);
}

// The first wrong item names the error, but one that is denied goes first; each refusal is a cause
// at its item's path, up to a hundred.
class ListRefusals {
 public:
  // Returns an error that is not about the item but about us: then nothing else matters.
  Status add(size_t index, Error error);
  Status status() const;

 private:
  std::map<size_t, Error> errors_;  // by item
};

}  // namespace paddock::api
