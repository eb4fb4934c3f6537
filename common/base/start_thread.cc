#include "common/base/start_thread.h"

#include <system_error>
#include <utility>

namespace paddock {

Result<std::thread> start_thread(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& error) {
    return system_error("starting a thread", error.code().value());
  }
}

}  // namespace paddock
