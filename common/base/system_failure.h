// Whether the system gave nothing to judge by: what could not be read now may be sound.
#pragma once

#include "common/base/error.h"

namespace paddock {

// Of files that are only read: a full disk keeps nobody from that, and says that one was not there.
inline bool is_system_failure(const Error& error) {
  if (error.code == Code::kNotFound || error.code == Code::kResourceExhausted) return false;
  return error.code == Code::kUnavailable || error.reason == "SYSTEM_ERROR";
}

}  // namespace paddock
