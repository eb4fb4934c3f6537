// Calls a waker at a change of one topic, for a listener that waits without a thread. One thread at
// a time; the notifier outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "controller/base/waker.h"
#include "controller/events/notifier.h"

namespace paddock::events {

class TopicListener {
 public:
  TopicListener(Notifier& notifier, std::string topic)
      : notifier_(notifier), topic_(std::move(topic)) {}
  ~TopicListener() {
    if (waker_) notifier_.forget(topic_, waker_);
  }
  TopicListener(const TopicListener&) = delete;
  TopicListener& operator=(const TopicListener&) = delete;

  // Take it before reading the store, then listen with it: nothing is missed.
  uint64_t version() const { return notifier_.version(topic_); }
  // Calls `waker`, always the same one, once the version differs from `seen` or the notifier was
  // shut down: at once where that is so already.
  void listen(uint64_t seen, const std::shared_ptr<Waker>& waker) {
    waker_ = waker;
    notifier_.listen(topic_, seen, waker);
  }
  // The notifier was shut down: nothing more will be told.
  bool stopped() const { return notifier_.stopped(); }

 private:
  Notifier& notifier_;
  const std::string topic_;
  std::shared_ptr<Waker> waker_;
};

}  // namespace paddock::events
