#include "node-agent/base/regularly.h"

namespace paddock::agent {

Regularly::Regularly(First first, Millis every, std::function<void()> work)
    : thread_([this, first, every, work = std::move(work)] {
        if (first == First::kAtOnce) work();
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, every, [this] { return over_; })) {
          lock.unlock();
          work();
          lock.lock();
        }
      }) {}

Regularly::~Regularly() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace paddock::agent
