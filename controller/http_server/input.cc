#include "controller/http_server/input.h"

#include <algorithm>
#include <cstring>

namespace paddock::http_server {
namespace {

constexpr size_t kSmallBytes = 4 << 10;
constexpr size_t kLargeBytes = 64 << 10;

}  // namespace

IoState Input::fill(Deadline deadline) {
  make_room();
  size_t got = 0;
  const IoState state = transport_->read(data_.get() + end_, capacity_ - end_, deadline, got);
  if (state == IoState::kOk) end_ += got;
  return state;
}

// A buffer that was filled to its end is too small for this sender.
void Input::make_room() {
  const bool was_full = end_ == capacity_;
  if (empty()) begin_ = end_ = 0;
  if (!was_full) return;
  const size_t used = end_ - begin_;
  const size_t capacity = capacity_ == 0 ? kSmallBytes : std::max(kLargeBytes, used * 2);
  if (capacity > capacity_) {
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (used > 0) std::memcpy(larger.get(), data_.get() + begin_, used);
    data_ = std::move(larger);
    capacity_ = capacity;
  } else if (begin_ > 0) {
    std::memmove(data_.get(), data_.get() + begin_, used);
  }
  begin_ = 0;
  end_ = used;
}

void Input::release() {
  if (!empty()) return;
  data_.reset();
  capacity_ = begin_ = end_ = 0;
}

}  // namespace paddock::http_server
