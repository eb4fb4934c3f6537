#include "node-agent/sessions/feed.h"

#include <errno.h>
#include <unistd.h>

#include <utility>

namespace paddock::sessions {

// A live input is looked at once what it had is written, or cannot be: what comes meanwhile waits
// there, and is bounded there. A size does not wait for that. While its terminal is not there yet,
// nothing is taken.
std::array<pollfd, Feed::kPlaces> Feed::places() const {
  const bool waits = command_.terminal_news() >= 0;
  const bool writes = command_.talk() >= 0 && (live_ == nullptr || !rest_.empty());
  const bool takes = live_ != nullptr && rest_.empty() && !waits;
  return {{{command_.terminal_news(), POLLIN, 0},
           {writes ? command_.talk() : -1, POLLOUT, 0},
           {takes ? live_->fd() : -1, POLLIN, 0},
           {live_ != nullptr && !waits ? live_->size_fd() : -1, POLLIN, 0}}};
}

void Feed::handle(const std::array<pollfd, kPlaces>& seen) {
  const auto& [terminal, talk, news, sizes] = seen;
  if (terminal.revents != 0) command_.take_terminal();
  if (talk.revents != 0) {
    write_some();
    // Nobody has the terminal open who could read: what was typed then is lost.
    if (command_.has_terminal() && (talk.revents & (POLLHUP | POLLERR)) != 0) rest_ = {};
  }
  if (sizes.revents != 0) resize();
  if (news.revents != 0) take();
}

void Feed::resize() {
  if (const auto size = live_->take_size()) command_.resize(*size);
}

void Feed::take() {
  LiveInput::Taken taken = live_->take();
  had_end_ = had_end_ || taken.end;
  if (command_.talk() < 0) return;  // it wants no more
  taken_ = std::move(taken.bytes);
  rest_ = taken_;
  write_some();
}

// Writes as much as the command takes now. A pipe without a reader is no fault: the command wants
// no more.
void Feed::write_some() {
  while (can_write()) {
    const ssize_t count = write(command_.talk(), rest_.data(), rest_.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return give_up();
    rest_.remove_prefix(static_cast<size_t>(count));
  }
  if (live_ == nullptr || had_end_) command_.close_talk();
}

void Feed::give_up() {
  rest_ = {};
  if (!command_.has_terminal()) command_.close_talk();
}

}  // namespace paddock::sessions
