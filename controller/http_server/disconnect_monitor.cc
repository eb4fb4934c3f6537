#include "controller/http_server/disconnect_monitor.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <utility>

namespace paddock::http_server {
namespace {

// One event is enough: a condition that stays true would be reported for ever. (EPOLLHUP and
// EPOLLERR are always reported.)
constexpr uint32_t kHungUp = EPOLLRDHUP | EPOLLONESHOT;
constexpr uint64_t kStop = 0;  // no watch has it

bool add(int poll, int fd, uint32_t events, uint64_t id) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return ::epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void wake(std::function<void()>& once) {
  if (once) std::exchange(once, nullptr)();
}

}  // namespace

Result<os::Fd> DisconnectMonitor::make_poll() {
  os::Fd poll(::epoll_create1(EPOLL_CLOEXEC));
  if (!poll.valid()) return system_error("making a poll descriptor", errno);
  return poll;
}

DisconnectWatch DisconnectMonitor::watch(int connection, std::function<void()> wake) {
  const uint64_t id = state_.with([&](State& state) {
    const uint64_t next = state.last + 1;
    if (state.stopped || !add(poll_.get(), connection, kHungUp, next)) return kStop;
    state.wakes.emplace(next, wake);
    return state.last = next;
  });
  if (id != kStop)
    return {this, [connection, id](DisconnectMonitor* all) { all->unwatch(connection, id); }};
  if (stop_.raised()) wake();
  return nullptr;
}

void DisconnectMonitor::unwatch(int connection, uint64_t id) {
  (void)::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, connection, nullptr);
  state_.with([&](State& state) { state.wakes.erase(id); });
}

// With the lock, so that no wake comes after its watch is gone.
void DisconnectMonitor::tell(uint64_t id) {
  state_.with([&](State& state) {
    if (const auto found = state.wakes.find(id); found != state.wakes.end()) wake(found->second);
  });
}

void DisconnectMonitor::tell_all() {
  state_.with([](State& state) {
    state.stopped = true;
    for (auto& [id, once] : state.wakes) wake(once);
  });
}

void DisconnectMonitor::tell_until_stopped() {
  std::array<epoll_event, 64> events;
  const bool hears_stop = add(poll_.get(), stop_.fd(), EPOLLIN, kStop);
  while (hears_stop && !stop_.raised()) {
    const int count = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) tell(events[static_cast<size_t>(i)].data.u64);
  }
  tell_all();
}

}  // namespace paddock::http_server
