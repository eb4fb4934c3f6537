// Wake-ups for those who wait on a topic (a run's stream, a node's held call, the scheduler's
// loop). A topic has a version that grows with each notify(). Topics share a fixed number of slots,
// so memory is bounded and a waiter may wake for a neighbour: it reads the store again either way.
// Any thread; starts none. Wire it up with StoreOptions::on_commit.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controller/base/waker.h"
#include "controller/events/waiter.h"

namespace paddock::events {

class Notifier {
 public:
  void notify(const std::vector<std::string>& topics);
  void notify_all();
  // Take the version before reading the store, then wait for a newer one: nothing is missed.
  uint64_t version(std::string_view topic) const;

  // True once the topic's version differs from `seen`. False when `limit` passed, the waiter's
  // client is gone, or after shutdown().
  bool wait(std::string_view topic, uint64_t seen, Millis limit, Waiter& waiter);
  bool wait(std::string_view topic, uint64_t seen, Millis limit);

  // The same without a thread (TopicListener): calls `waker` once, as soon as the topic's version
  // differs from `seen` or after shutdown(), which may be at once. Until then `waker` is kept;
  // forget() lets go of it. One that is kept already is kept as it was.
  void listen(std::string_view topic, uint64_t seen, const std::shared_ptr<Waker>& waker);
  void forget(std::string_view topic, const std::shared_ptr<Waker>& waker);

  // Ends every wait, now and later.
  void shutdown();
  bool stopped() const;

 private:
  static constexpr size_t kStripes = 64;  // each with a lock
  static constexpr size_t kSlots = 64;    // per stripe
  using Wakers = std::set<std::shared_ptr<Waker>>;
  struct Slot {
    uint64_t version = 0;
    Wakers waiting;
  };
  struct Stripe {
    std::array<Slot, kSlots> slots;
    bool stopped = false;
  };
  struct Place {
    size_t stripe;
    size_t slot;
  };
  static Place place(std::string_view topic);
  void notify(Place at);

  std::array<Guarded<Stripe>, kStripes> stripes_;
};

}  // namespace paddock::events
