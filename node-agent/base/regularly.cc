#include "node-agent/base/regularly.h"

#include "common/base/log.h"
#include "common/base/start_thread.h"

namespace paddock::agent {

Regularly::Regularly(First first, Millis every, std::function<void()> work)
    : work_(std::move(work)), every_(every) {
  auto thread = start_thread([this, first] { run(first); });
  if (thread) {
    thread_ = std::move(*thread);
  } else {
    log_error("what the agent does regularly is not done", {{"error", thread.error().describe()}});
  }
}

void Regularly::run(First first) {
  if (first == First::kAtOnce) work_();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, every_, [this] { return over_; })) {
    lock.unlock();
    work_();
    lock.lock();
  }
}

Regularly::~Regularly() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace paddock::agent
