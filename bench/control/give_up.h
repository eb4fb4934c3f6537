// A benchmark that cannot measure what it says ends, and says why.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "common/base/result.h"

namespace paddock::bench {

[[noreturn]] inline void give_up(const std::string& why) {
  static std::atomic<bool> ending{false};
  while (ending.exchange(true)) ::pause();  // the first one cleans up and ends the program
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}
inline void require(bool good, const std::string& what) {
  if (!good) give_up(what);
}
inline void require(const Status& status, const std::string& what) {
  if (!status.ok()) give_up(what + ": " + status.error().describe());
}
template <class T>
T value_of(Result<T> result, const std::string& what) {
  if (!result.ok()) give_up(what + ": " + result.error().describe());
  return std::move(result).value();
}

}  // namespace paddock::bench
