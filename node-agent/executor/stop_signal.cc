#include "node-agent/executor/stop_signal.h"

namespace paddock::executor {

void StopSignal::raise(StopKind kind) {
  std::lock_guard lock(mutex_);
  if (kind <= kind_) return;
  kind_ = kind;
  event_.raise();
  for (const auto& [id, entry] : watches_) {
    if (kind_ >= entry.kind) entry.then();
  }
  raised_.notify_all();
}

void StopSignal::nudge() { event_.raise(); }

StopKind StopSignal::kind() const {
  std::lock_guard lock(mutex_);
  return kind_;
}

void StopSignal::acknowledge() { event_.clear(); }

bool StopSignal::wait(Millis limit, StopKind kind) const {
  std::unique_lock lock(mutex_);
  return raised_.wait_for(lock, limit, [&] { return kind_ >= kind; });
}

StopSignal::Watch::Watch(StopSignal& signal, StopKind kind, std::function<void()> then)
    : signal_(signal) {
  std::lock_guard lock(signal_.mutex_);
  if (signal_.kind_ >= kind) then();
  id_ = signal_.next_id_++;
  signal_.watches_.emplace(id_, Entry{kind, std::move(then)});
}

StopSignal::Watch::~Watch() {
  std::lock_guard lock(signal_.mutex_);
  signal_.watches_.erase(id_);
}

}  // namespace paddock::executor
