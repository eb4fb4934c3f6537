#include "common/base/parallel.h"

#include <thread>
#include <utility>

namespace paddock {

void at_once(std::vector<std::function<void()>> tasks) {
  std::vector<std::thread> threads;
  for (size_t i = 1; i < tasks.size(); ++i) threads.emplace_back(std::move(tasks[i]));
  if (!tasks.empty()) tasks.front()();
  for (std::thread& each : threads) each.join();
}

}  // namespace paddock
