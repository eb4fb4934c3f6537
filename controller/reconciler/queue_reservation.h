// Places in a namespace's queue, or room in its quotas, for what is on its way to the store: others
// that come at the same moment find them taken. Given back when this goes, stored or not.
// Move-only; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "common/contracts/run.h"

namespace paddock::reconciler {

// The number of places that a new run takes in its namespace's queue. A gang takes one for each of
// its members, since they are made at once, and none for itself.
inline int64_t queue_places(const contracts::RunSpec& spec) { return spec.nodes.value_or(1); }

class QueueReservation {
 public:
  QueueReservation() = default;  // where nothing is bounded
  explicit QueueReservation(std::function<void()> give_back) : give_back_(std::move(give_back)) {}
  QueueReservation(QueueReservation&& other) noexcept
      : give_back_(std::exchange(other.give_back_, nullptr)) {}
  QueueReservation& operator=(QueueReservation&&) = delete;
  ~QueueReservation() {
    if (give_back_) give_back_();
  }

 private:
  std::function<void()> give_back_;
};

}  // namespace paddock::reconciler
