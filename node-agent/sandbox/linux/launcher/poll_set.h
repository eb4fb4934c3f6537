// The descriptors that one turn of a poll loop waits for, each with the function that is called
// when it is ready. The functions are called in the order in which the descriptors were added,
// whichever became ready first.
#pragma once

#include <poll.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace paddock::sandbox {

class PollSet {
 public:
  PollSet() {
    fds_.reserve(kUsual);
    owners_.reserve(kUsual);
  }
  // `ready(revents)` is called if anything happened to `fd`; without it the wait ends, and that is
  // all. A negative `fd` is not waited for.
  void add(int fd, short events, std::function<void(short)> ready) {
    if (fd < 0) return;
    owners_.push_back({1, std::move(ready), {}});
    fds_.push_back({fd, events, 0});
  }
  // Several descriptors of one owner that has deadlines too: `look(fds)` is called after each wait,
  // also if nothing happened to any of them.
  template <size_t kCount, class Look>
  void add_group(const std::array<pollfd, kCount>& fds, Look look) {
    const auto call = [look](const pollfd* seen) {
      std::array<pollfd, kCount> own;
      std::copy_n(seen, kCount, own.begin());
      look(own);
    };
    owners_.push_back({kCount, {}, call});
    fds_.insert(fds_.end(), fds.begin(), fds.end());
  }

  void wait(int timeout_ms) { poll(fds_.data(), fds_.size(), timeout_ms); }
  // After wait(). The functions may close any of the descriptors.
  void call_ready() const {
    const pollfd* seen = fds_.data();
    for (const Owner& owner : owners_) {
      if (owner.look) owner.look(seen);
      if (owner.ready && seen->revents != 0) owner.ready(seen->revents);
      seen += owner.count;
    }
  }

 private:
  static constexpr size_t kUsual = 12;
  struct Owner {
    size_t count = 0;  // of descriptors, which lie in a row
    std::function<void(short)> ready;
    std::function<void(const pollfd*)> look;  // of a group
  };
  std::vector<pollfd> fds_;
  std::vector<Owner> owners_;
};

}  // namespace paddock::sandbox
