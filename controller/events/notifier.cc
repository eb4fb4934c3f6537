#include "controller/events/notifier.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace paddock::events {
namespace {

enum class News { kNone, kChanged, kStopped };

}  // namespace

Notifier::Place Notifier::place(std::string_view topic) {
  const size_t hash = std::hash<std::string_view>()(topic);
  return {hash % kStripes, hash / kStripes % kSlots};
}

// Called without the lock: whoever wakes takes it.
void Notifier::notify(const std::vector<std::string>& topics) {
  for (const std::string& topic : topics) notify(place(topic));
}

void Notifier::notify_all() {
  for (size_t stripe = 0; stripe < kStripes; ++stripe) {
    for (size_t slot = 0; slot < kSlots; ++slot) notify({stripe, slot});
  }
}

void Notifier::notify(Place at) {
  const Wakers waiting = stripes_[at.stripe].with([&](Stripe& stripe) {
    ++stripe.slots[at.slot].version;
    return std::exchange(stripe.slots[at.slot].waiting, {});
  });
  for (const auto& waker : waiting) waker->wake();
}

uint64_t Notifier::version(std::string_view topic) const {
  const Place at = place(topic);
  return stripes_[at.stripe].with(
      [&](const Stripe& stripe) { return stripe.slots[at.slot].version; });
}

bool Notifier::wait(std::string_view topic, uint64_t seen, Millis limit, Waiter& waiter) {
  const Place at = place(topic);
  const auto news = [&](const Stripe& stripe) {
    if (stripe.stopped) return News::kStopped;
    return stripe.slots[at.slot].version != seen ? News::kChanged : News::kNone;
  };
  Guarded<Stripe>& stripes = stripes_[at.stripe];
  const auto end = std::chrono::steady_clock::now() + limit;
  while (true) {
    News now = stripes.with([&](Stripe& stripe) {
      const News out = news(stripe);
      if (out == News::kNone) stripe.slots[at.slot].waiting.insert(waiter.wakeup());
      return out;
    });
    if (now != News::kNone) return now == News::kChanged;
    const auto left = std::chrono::ceil<Millis>(end - std::chrono::steady_clock::now());
    const bool woken = waiter.wait(std::max(left, Millis(0)));
    now = stripes.with([&](Stripe& stripe) {
      stripe.slots[at.slot].waiting.erase(waiter.wakeup());
      return news(stripe);
    });
    if (now != News::kNone) return now == News::kChanged;
    if (!woken) return false;
  }
}

bool Notifier::wait(std::string_view topic, uint64_t seen, Millis limit) {
  Waiter waiter;
  return wait(topic, seen, limit, waiter);
}

// With the lock, so that no change comes between the look and the listening.
void Notifier::listen(std::string_view topic, uint64_t seen, const std::shared_ptr<Waker>& waker) {
  const Place at = place(topic);
  const bool news = stripes_[at.stripe].with([&](Stripe& stripe) {
    Slot& slot = stripe.slots[at.slot];
    if (stripe.stopped || slot.version != seen) return true;
    slot.waiting.insert(waker);
    return false;
  });
  if (news) waker->wake();
}

void Notifier::forget(std::string_view topic, const std::shared_ptr<Waker>& waker) {
  const Place at = place(topic);
  stripes_[at.stripe].with([&](Stripe& stripe) { stripe.slots[at.slot].waiting.erase(waker); });
}

void Notifier::shutdown() {
  for (Guarded<Stripe>& stripes : stripes_) {
    const std::array<Slot, kSlots> slots = stripes.with([](Stripe& stripe) {
      stripe.stopped = true;
      return stripe.slots;
    });
    for (const Slot& slot : slots) {
      for (const auto& waker : slot.waiting) waker->wake();
    }
  }
}

bool Notifier::stopped() const {
  return stripes_[0].with([](const Stripe& stripe) { return stripe.stopped; });
}

}  // namespace paddock::events
