#include "node-agent/sandbox/linux/launcher/serve_pace.h"

#include <algorithm>

namespace paddock::sandbox {
namespace {

constexpr Millis kQuiet{3};  // without a request
constexpr Millis kAfterFailure{200};
constexpr Millis kLongUnused{600'000};

}  // namespace

bool ServePace::wants_one(MonoTime now) const {
  return ready_ < wanted_ && now >= rest_until_ && (ready_ == 0 || now >= quiet_at_);
}

MonoTime ServePace::next(MonoTime otherwise) const {
  if (ready_ >= wanted_) return otherwise;
  return std::min(ready_ == 0 ? rest_until_ : std::max(rest_until_, quiet_at_), otherwise);
}

bool ServePace::unused_for_long(MonoTime now) const { return now - last_use_ > kLongUnused; }

void ServePace::taken(MonoTime now) {
  --ready_;
  last_use_ = now;
  quiet_at_ = now + kQuiet;
}

void ServePace::failed_to_make(MonoTime now) { rest_until_ = now + kAfterFailure; }

void ServePace::ended_unused(MonoTime now) {
  --ready_;
  rest_until_ = now + kAfterFailure;
}

}  // namespace paddock::sandbox
