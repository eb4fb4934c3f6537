// Places in a namespace's queue, or room in its quotas, for what is on its way to the store: others
// that come at the same moment find them taken. Given back when this goes, stored or not.
// Move-only; any thread.
#pragma once

#include <functional>
#include <utility>

namespace paddock::reconciler {

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
