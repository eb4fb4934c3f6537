#include "common/base/parallel.h"

#include <utility>

#include "common/base/start_thread.h"

namespace paddock {

void at_once(std::vector<std::function<void()>> tasks) {
  std::vector<std::thread> threads;
  std::vector<std::function<void()>> in_turn;
  for (size_t i = 0; i < tasks.size(); ++i) {
    Result<std::thread> thread =
        i == 0 ? Result<std::thread>(std::thread()) : start_thread(tasks[i]);
    if (thread && thread->joinable()) {
      threads.push_back(std::move(*thread));
    } else {
      in_turn.push_back(std::move(tasks[i]));
    }
  }
  for (const auto& each : in_turn) each();
  for (std::thread& each : threads) each.join();
}

}  // namespace paddock
