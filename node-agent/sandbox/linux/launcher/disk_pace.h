// When the workspace is measured again. Measuring takes processor time that others could use, so it
// rests in between, for less long where the run may be over its limit, and not at all where much
// more may be gone than it has left: then the next count is due at once, and the run stands still
// until it has come. Pure.
#pragma once

#include <cstdint>

#include "common/base/time.h"

namespace paddock::sandbox {

class DiskPace {
 public:
  // What the run may have taken beyond its limit until it is measured without any rest. See
  // docs/security.md before you change it.
  static constexpr int64_t kMostBytesAtRest = int64_t{32} << 20;

  struct Need {
    bool little = false;           // nothing says that it took much
    bool over_since_last = false;  // more is gone since the last count than it had left
    int64_t bytes_over = 0;        // by so much
    bool in_doubt = false;         // the last count has missed something
  };

  bool is_due(const Need& need, MonoTime now) {
    if (ask_anyway_at_ == MonoTime()) ask_anyway_at_ = now + kAskAnyway;
    if (!has_rested(need, now)) return false;
    if (now < ask_anyway_at_ && need.little && !need.in_doubt) return false;
    ask_anyway_at_ = now + kAskAnyway;
    return true;
  }
  void note_count(MonoTime asked_at, MonoTime answered_at) {
    answered_at_ = answered_at;
    took_ = answered_at - asked_at;
  }

 private:
  static constexpr Millis kAskAnyway{10'000};  // others may have freed what the run took
  static constexpr int kRestFactor = 9;        // a tenth of one processor at most

  bool has_rested(const Need& need, MonoTime now) const {
    if (need.over_since_last && need.bytes_over > kMostBytesAtRest) return true;
    // A run that is over its limit is measured again after as long as one count takes.
    const bool hurries = need.over_since_last || need.in_doubt;
    return now - answered_at_ >= (hurries ? 1 : kRestFactor) * took_;
  }

  MonoTime answered_at_;
  Millis took_{0};
  MonoTime ask_anyway_at_;
};

}  // namespace paddock::sandbox
