#include "node-agent/app/housekeeping.h"

namespace paddock::agent {
namespace {

constexpr Millis kPeriod = std::chrono::hours(1);

}  // namespace

Housekeeping::Housekeeping(const Clock& clock, std::function<void(WallTime now)> chores)
    : thread_([this, &clock, chores = std::move(chores)] { work(clock, chores); }) {}

Housekeeping::~Housekeeping() {
  ending_.with([](bool& ending) { ending = true; });
  changed_.notify_all();
  thread_.join();
}

void Housekeeping::work(const Clock& clock, const std::function<void(WallTime)>& chores) {
  bool ending = false;
  while (!ending) {
    chores(clock.wall());
    ending = ending_.wait_for(
        changed_, kPeriod, [](bool& end) { return end; }, [](bool&, bool end) { return end; });
  }
}

}  // namespace paddock::agent
