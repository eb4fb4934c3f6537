#include "controller/http_server/idle_poller.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <vector>

namespace paddock::http_server {
namespace {

// One event resumes a connection, and no other is wanted until it is parked again: EPOLLONESHOT.
// (EPOLLHUP and EPOLLERR are always reported.) EPOLLRDHUP is left out for one that waits for room
// to write: of a client that sends no more it would be reported every time.
uint32_t events_of(IdlePoller::Interest interest) {
  switch (interest) {
    case IdlePoller::Interest::kReadable:
      return EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
    case IdlePoller::Interest::kHangUp:
      return EPOLLRDHUP | EPOLLONESHOT;
    case IdlePoller::Interest::kWritable:
      return EPOLLOUT | EPOLLONESHOT;
  }
  return EPOLLONESHOT;
}

constexpr uint64_t kNobody = 0;  // the stop and the wakeup; no connection has it

bool control(int poll, int operation, int fd, uint32_t events, uint64_t id) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return ::epoll_ctl(poll, operation, fd, &event) == 0;
}

}  // namespace

Result<os::Fd> IdlePoller::make_poll() {
  os::Fd poll(::epoll_create1(EPOLL_CLOEXEC));
  if (!poll.valid()) return system_error("making a poll descriptor", errno);
  return poll;
}

// With the lock, so that an event that comes at once finds whom it is for.
std::optional<uint64_t> IdlePoller::park(int connection, Interest interest, Deadline until,
                                         Resume resume) {
  bool sooner = false;
  const auto parked = state_.with([&](State& state) -> std::optional<uint64_t> {
    if (state.stopped) return std::nullopt;
    const uint64_t id = ++state.last;
    if (!arm(connection, interest, id)) return std::nullopt;
    state.parked.emplace(id, Parked{until, std::move(resume)});
    state.by_deadline.emplace(until, id);
    sooner = !state.sleeps_until || until < *state.sleeps_until;
    if (sooner) state.sleeps_until = until;  // the next one to park need not wake it again
    return id;
  });
  if (sooner) wakeup_.raise();
  return parked;
}

// A connection that was parked before is still known to the kernel, and reports nothing.
bool IdlePoller::arm(int connection, Interest interest, uint64_t id) const {
  const uint32_t events = events_of(interest);
  if (control(poll_.get(), EPOLL_CTL_MOD, connection, events, id)) return true;
  return errno == ENOENT && control(poll_.get(), EPOLL_CTL_ADD, connection, events, id);
}

size_t IdlePoller::parked() const {
  return state_.with([](const State& state) { return state.parked.size(); });
}

IdlePoller::Parked IdlePoller::take(State& state, uint64_t id) {
  const auto found = state.parked.find(id);
  Parked parked = std::move(found->second);
  state.by_deadline.erase({parked.until, id});
  state.parked.erase(found);
  return parked;
}

// Whoever is taken out is counted until its resume has returned and is gone, so that the stop waits
// for a thread that calls wake() and is held up in the middle of it.
void IdlePoller::resume(uint64_t id, Reason reason) {
  {
    const Resume resume = state_.with([&](State& state) -> Resume {
      if (!state.parked.contains(id)) return nullptr;
      ++state.resuming;
      return take(state, id).resume;
    });
    if (!resume) return;
    resume(reason);
  }
  state_.with([this](State& state) {
    if (--state.resuming == 0) resumed_.notify_all();
  });
}

void IdlePoller::resume_overdue() {
  std::vector<Resume> overdue;
  state_.with([&](State& state) {
    while (!state.by_deadline.empty() && state.by_deadline.begin()->first.over())
      overdue.push_back(take(state, state.by_deadline.begin()->second).resume);
  });
  for (const Resume& resume : overdue) resume(Reason::kDeadline);
}

void IdlePoller::resume_all() {
  const auto all = state_.with([](State& state) {
    state.stopped = true;
    state.by_deadline.clear();
    return std::exchange(state.parked, {});
  });
  for (const auto& [id, parked] : all) parked.resume(Reason::kStopping);
}

void IdlePoller::wait_for_resumes() {
  constexpr std::chrono::hours kOnce{1};  // and then once more
  for (bool over = false; !over;) {
    state_.wait_for(
        resumed_, kOnce, [](const State& state) { return state.resuming == 0; },
        [&](State&, bool none) { over = none; });
  }
}

int IdlePoller::next_timeout_ms() {
  return state_.with([](State& state) {
    state.sleeps_until.reset();
    if (state.by_deadline.empty()) return -1;
    state.sleeps_until = state.by_deadline.begin()->first;
    return state.sleeps_until->left_ms();
  });
}

void IdlePoller::poll_until_stopped() {
  std::array<epoll_event, 64> events;
  const bool hears = control(poll_.get(), EPOLL_CTL_ADD, stop_.fd(), EPOLLIN, kNobody) &&
                     control(poll_.get(), EPOLL_CTL_ADD, wakeup_.fd(), EPOLLIN, kNobody);
  while (hears && !stop_.raised()) {
    const int count = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()),
                                   next_timeout_ms());
    for (int i = 0; i < count; ++i) {
      const uint64_t id = events[static_cast<size_t>(i)].data.u64;
      if (id == kNobody) wakeup_.clear();
      if (id != kNobody) resume(id, Reason::kReady);
    }
    resume_overdue();
  }
  resume_all();
  wait_for_resumes();
}

}  // namespace paddock::http_server
