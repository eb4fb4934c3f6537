// When a server that is waited for, one of several, is asked whether it lives, and when the others
// are asked which of them leads. Pure.
#pragma once

#include <algorithm>

#include "common/base/time.h"

namespace paddock::http {

struct SilenceTimes {
  Millis joins{1'000};      // so long an exchange is silent before it is watched at all
  Millis asks{2'000};       // after so long a silence of a server it is asked whether it lives
  Millis to_answer{1'000};  // so long it has for that, and others to say that they lead
  Millis again{300};        // between two looks at a server that gave no sign of life
};

// Of one server: what is known of it while somebody waits for it.
class Silence {
 public:
  // Any sign of life, of any exchange with it.
  void heard(MonoTime when) {
    if (when <= heard_) return;
    heard_ = when;
    doubted_ = false;
  }
  // It was asked whether it lives, and said nothing.
  void unanswered(MonoTime when) {
    doubted_ = true;
    asked_ = when;
  }
  MonoTime asks_at(const SilenceTimes& times) const {
    return doubted_ ? asked_ + times.again : heard_ + times.asks;
  }
  Millis patience(const SilenceTimes& times) const {
    return doubted_ ? std::min(times.again, times.to_answer) : times.to_answer;
  }

 private:
  MonoTime heard_;
  MonoTime asked_;
  bool doubted_ = false;
};

}  // namespace paddock::http
