#include "controller/events/notifier.h"

#include <algorithm>

namespace paddock::events {

Notifier::Place Notifier::place(std::string_view topic) {
  const size_t hash = std::hash<std::string_view>()(topic);
  return {hash % kStripes, hash / kStripes % kSlots};
}

void Notifier::notify(const std::vector<std::string>& topics) {
  for (const std::string& topic : topics) {
    const Place at = place(topic);
    Stripe& stripe = stripes_[at.stripe];
    stripe.versions.with([&](Versions& versions) { ++versions.of[at.slot]; });
    stripe.changed.notify_all();
  }
}

uint64_t Notifier::version(std::string_view topic) const {
  const Place at = place(topic);
  return stripes_[at.stripe].versions.with(
      [&](const Versions& versions) { return versions.of[at.slot]; });
}

bool Notifier::wait(std::string_view topic, uint64_t seen, Millis limit,
                    const std::function<bool()>& stop) {
  const Place at = place(topic);
  Stripe& stripe = stripes_[at.stripe];
  Millis left = limit;
  while (true) {
    const Millis step = stop ? std::min(left, kPollEvery) : left;
    const auto [changed, stopped] = stripe.versions.wait_for(
        stripe.changed, step,
        [&](const Versions& versions) { return versions.stopped || versions.of[at.slot] != seen; },
        [&](const Versions& versions, bool) {
          return std::pair(versions.of[at.slot] != seen, versions.stopped);
        });
    if (changed && !stopped) return true;
    left -= step;
    if (stopped || left <= Millis(0) || (stop && stop())) return false;
  }
}

void Notifier::shutdown() {
  for (Stripe& stripe : stripes_) {
    stripe.versions.with([](Versions& versions) { versions.stopped = true; });
    stripe.changed.notify_all();
  }
}

bool Notifier::stopped() const {
  return stripes_[0].versions.with([](const Versions& versions) { return versions.stopped; });
}

}  // namespace paddock::events
