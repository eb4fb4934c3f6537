#include "node-agent/sandbox/linux/launcher/input_feed.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>

namespace paddock::sandbox {
namespace {

constexpr Millis kLookAgain{1'000};  // where nothing tells of changes
constexpr Millis kEndsToo{100};      // a command that ends closes its input a little before
constexpr size_t kPiece = size_t{64} << 10;
constexpr size_t kLongestLine = size_t{8} << 20;

}  // namespace

Result<InputFeed> InputFeed::open(const std::string& path, MonoTime now) {
  InputFeed out(path);
  out.file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!out.file_.valid()) return system_error("opening the input file", errno);
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("making the input's pipe", errno);
  out.command_end_.reset(ends[0]);
  out.pipe_.reset(ends[1]);
  if (fcntl(out.pipe_.get(), F_SETFL, O_NONBLOCK) != 0)
    return system_error("making the input's pipe", errno);
  out.watch_.reset(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (out.watch_.valid() && inotify_add_watch(out.watch_.get(), path.c_str(), IN_MODIFY) < 0)
    out.watch_.reset();
  out.more_ = true;
  out.forward(now);
  return out;
}

std::array<pollfd, 2> InputFeed::waits_for() const {
  const bool may_write = lines_ > 0 || more_;
  return {{{pipe_.valid() ? watch_.get() : -1, POLLIN, 0},
           {pipe_.get(), static_cast<short>(may_write ? POLLOUT : 0), 0}}};
}

void InputFeed::handle(const std::array<pollfd, 2>& seen, MonoTime now) {
  const bool due = look_at_ && now >= *look_at_;
  if (!pipe_.valid()) {
    if (due) mark_closed();
    return;
  }
  if ((seen[1].revents & POLLERR) != 0) return close(now);
  if (seen[0].revents != 0 || due) more_ = changed() || more_;
  if (more_ || lines_ > 0) forward(now);
}

bool InputFeed::changed() {
  if (!watch_.valid()) return true;
  alignas(inotify_event) std::array<char, 4096> news;
  bool any = false;
  while (read(watch_.get(), news.data(), news.size()) > 0) any = true;
  return any;
}

void InputFeed::forward(MonoTime now) {
  if (!watch_.valid()) look_at_ = now + kLookAgain;
  if ((lines_ == 0 && !read_more()) || !write_lines()) close(now);
}

// One piece, so that much input delays nothing else. False if the file cannot be fed any further.
bool InputFeed::read_more() {
  if (!more_) return true;
  const size_t before = held_.size();
  held_.resize(before + kPiece);
  const ssize_t count = read(file_.get(), held_.data() + before, kPiece);
  held_.resize(before + static_cast<size_t>(count > 0 ? count : 0));
  if (count < 0) return errno == EINTR;
  if (count > 0) {
    const size_t end = std::string_view(held_).substr(before).rfind('\n');
    lines_ = end == std::string_view::npos ? 0 : before + end + 1;
    return lines_ > 0 || held_.size() <= kLongestLine;
  }
  more_ = false;
  // Half a line is read again once it is whole: until then the agent may still cut it off.
  if (!held_.empty()) lseek(file_.get(), -static_cast<off_t>(held_.size()), SEEK_CUR);
  held_.clear();
  return true;
}

// False when nobody reads.
bool InputFeed::write_lines() {
  while (written_ < lines_) {
    const ssize_t count = write(pipe_.get(), held_.data() + written_, lines_ - written_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    written_ += static_cast<size_t>(count);
  }
  held_.erase(0, lines_);
  written_ = lines_ = 0;
  return true;
}

void InputFeed::close(MonoTime now) {
  pipe_.reset();
  look_at_ = now + kEndsToo;
}

void InputFeed::mark_closed() {
  look_at_.reset();
  const os::Fd mark(
      ::open((path_ + ".closed").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
}

}  // namespace paddock::sandbox
