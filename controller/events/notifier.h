// Wake-ups for whoever waits on a topic (a run's stream, a node's held call, the scheduler's loop).
// A topic has a version that grows with each notify(). Topics share a fixed number of slots, so
// memory is bounded and a waiter may wake for a neighbour: it reads the store again either way.
// Any thread; starts none. Wire it up with StoreOptions::on_commit.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/units.h"

namespace paddock::events {

class Notifier {
 public:
  void notify(const std::vector<std::string>& topics);
  // Take the version before reading the store, then wait for a newer one: nothing is missed.
  uint64_t version(std::string_view topic) const;

  // True once the topic's version differs from `seen`. False when `limit` passed, `stop` says so
  // (asked every `kPollEvery`), or after shutdown().
  bool wait(std::string_view topic, uint64_t seen, Millis limit,
            const std::function<bool()>& stop = {});

  // Ends every wait, now and later.
  void shutdown();
  bool stopped() const;

  static constexpr Millis kPollEvery{2'000};  // thousands of agents wait so

 private:
  static constexpr size_t kStripes = 64;
  static constexpr size_t kSlots = 64;  // per stripe
  struct Versions {
    std::array<uint64_t, kSlots> of{};
    bool stopped = false;
  };
  struct Stripe {
    Guarded<Versions> versions;
    std::condition_variable changed;
  };
  struct Place {
    size_t stripe;
    size_t slot;
  };
  static Place place(std::string_view topic);

  std::array<Stripe, kStripes> stripes_;
};

}  // namespace paddock::events
