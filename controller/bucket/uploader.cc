#include "controller/bucket/uploader.h"

#include <optional>

namespace paddock::bucket {
namespace {

constexpr size_t kMostWaiting = 64;  // each has its file open

}  // namespace

Uploader::Uploader(size_t threads, std::function<void(Upload)> store) : store_(std::move(store)) {
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Uploader::~Uploader() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& each : threads_) each.join();
}

void Uploader::add(Upload upload) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || waiting_.size() < kMostWaiting; });
    waiting_.push_back(std::move(upload));
  }
  changed_.notify_all();
}

// Uploads that still wait when this ends are stored all the same, or fail at once if the bucket was
// stopped.
void Uploader::work() {
  while (true) {
    std::optional<Upload> next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      next.emplace(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    changed_.notify_all();
    store_(std::move(*next));
  }
}

}  // namespace paddock::bucket
