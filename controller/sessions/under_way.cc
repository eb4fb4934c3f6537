#include "controller/sessions/under_way.h"

#include <algorithm>

namespace paddock::sessions {

UnderWay::Command::Command(UnderWay& all, std::string uid, WallTime until)
    : all_(all), uid_(std::move(uid)), until_(until) {
  all_.ends_.with([&](auto& ends) { ends[uid_].insert(until_); });
}

void UnderWay::Command::end() {
  if (std::exchange(ended_, true)) return;
  all_.ends_.with([&](auto& ends) {
    const auto found = ends.find(uid_);
    if (found == ends.end()) return;
    found->second.erase(found->second.find(until_));
    if (found->second.empty()) ends.erase(found);
  });
}

Millis UnderWay::busy(const std::string& uid, WallTime now) const {
  return ends_.with([&](const auto& ends) {
    const auto found = ends.find(uid);
    return found == ends.end() ? Millis(0) : std::max(Millis(0), *found->second.rbegin() - now);
  });
}

}  // namespace paddock::sessions
