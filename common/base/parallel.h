// How work is spread over threads. The rooms of common/ are given a Parallel by a caller that may
// start threads, and spread nothing by themselves.
#pragma once

#include <functional>
#include <vector>

namespace paddock {

// Runs all tasks, at once or one after the other from the first on, and returns when all have
// ended.
using Parallel = std::function<void(std::vector<std::function<void()>> tasks)>;

// A Parallel: each task on a thread of its own, the first on the calling one, and there too,
// behind it, those for which there is no thread left.
void at_once(std::vector<std::function<void()>> tasks);

}  // namespace paddock
