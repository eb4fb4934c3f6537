// Rings a bell at a change of one topic, for a listener that waits without a thread. One thread at
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
    if (bell_) notifier_.forget(topic_, bell_);
  }
  TopicListener(const TopicListener&) = delete;
  TopicListener& operator=(const TopicListener&) = delete;

  // Take it before reading the store, then listen with it: nothing is missed.
  uint64_t version() const { return notifier_.version(topic_); }
  // Rings `bell`, always the same one, once the version differs from `seen` or the notifier was
  // shut down: at once where that is so already.
  void listen(uint64_t seen, const std::shared_ptr<Bell>& bell) {
    bell_ = bell;
    notifier_.listen(topic_, seen, bell);
  }
  // The notifier was shut down: nothing more will be told.
  bool stopped() const { return notifier_.stopped(); }

 private:
  Notifier& notifier_;
  const std::string topic_;
  std::shared_ptr<Bell> bell_;
};

}  // namespace paddock::events
