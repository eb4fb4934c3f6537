#include "node-agent/sandbox/linux/notify/answerer.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace paddock::sandbox {
namespace {

// How long stop() waits for the thread. One that is not blocked ends at once, and one that waits
// for an asker may never end.
constexpr std::chrono::milliseconds kFarewell{20};

int wait_ms(const Notifications& all, MonoTime now) {
  std::optional<MonoTime> until = all.rests_until(now);
  if (const auto retry = all.retry_at()) until = until ? std::min(*until, *retry) : *retry;
  return until ? static_cast<int>(std::max<int64_t>((*until - now).count(), 0)) : -1;
}

}  // namespace

Answerer::Answerer(std::unique_ptr<Notifications> notifications, const Clock& clock)
    : shared_(new Shared{std::move(notifications), clock, {}, {}, {}, {}, {}}) {}

int Answerer::fd(MonoTime now) const {
  return has_thread_ ? shared_->news->fd() : shared_->notifications->fd(now);
}

std::optional<MonoTime> Answerer::rests_until(MonoTime now) const {
  return has_thread_ ? std::nullopt : shared_->notifications->rests_until(now);
}

void Answerer::handle(short seen, MonoTime now) {
  if (has_thread_) return shared_->news->clear();
  if ((seen & POLLIN) == 0) return shared_->notifications->stop();  // all that could ask are gone
  const auto question = shared_->notifications->take();
  if (!question) return;
  if (Notifications::may_take_long(*question) && hand_over(*question)) return;
  shared_->notifications->answer(*question, now);
  shared_->notifications->refuse_waiting();
}

bool Answerer::hand_over(const Notifications::Question& first) {
  shared_->first = first;
  shared_->stop.emplace();
  shared_->news.emplace();
  if (!shared_->stop->valid() || !shared_->news->valid()) return false;
  auto own = std::make_unique<std::shared_ptr<Shared>>(shared_);
  if (pthread_create(&thread_, nullptr, serve, own.get()) != 0) return false;
  (void)own.release();  // the thread owns it now
  has_thread_ = true;
  return true;
}

void* Answerer::serve(void* shared) {
  const std::unique_ptr<std::shared_ptr<Shared>> own(static_cast<std::shared_ptr<Shared>*>(shared));
  Shared& mine = **own;
  serve_questions(mine);
  const std::lock_guard hold(mine.lock);
  mine.ended = true;
  mine.ends.notify_all();
  return nullptr;
}

void Answerer::serve_questions(Shared& shared) {
  Notifications& all = *shared.notifications;
  all.answer(shared.first, shared.clock.mono());
  for (;;) {
    const MonoTime now = shared.clock.mono();
    std::array<pollfd, 2> fds = {{{all.fd(now), POLLIN, 0}, {shared.stop->fd(), POLLIN, 0}}};
    poll(fds.data(), fds.size(), wait_ms(all, now));
    if (fds[1].revents != 0) return;
    all.retry(shared.clock.mono());
    if (fds[0].revents == 0) continue;
    if ((fds[0].revents & POLLIN) == 0) return;
    if (const auto question = all.take()) all.answer(*question, shared.clock.mono());
    if (all.holds_exit()) shared.news->raise();
  }
}

void Answerer::stop() {
  if (!std::exchange(has_thread_, false)) return;
  shared_->stop->raise();
  {
    std::unique_lock hold(shared_->lock);
    left_behind_ = !shared_->ends.wait_for(hold, kFarewell, [&] { return shared_->ended; });
  }
  (void)(left_behind_ ? pthread_detach(thread_) : pthread_join(thread_, nullptr));
}

os::Fd Answerer::take_listener() {
  return left_behind_ ? os::Fd() : shared_->notifications->take_listener();
}

}  // namespace paddock::sandbox
