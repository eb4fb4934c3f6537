// When a request may be sent again, and after how long. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "common/base/backoff.h"
#include "common/base/error.h"
#include "common/base/random.h"
#include "common/base/suspension.h"
#include "common/base/time.h"
#include "common/base/units.h"

namespace paddock::client {

// Repeating it cannot do anything twice: the method says so, or the server knows it by a key.
bool safe_to_repeat(std::string_view method, bool keyed);

struct Failure {
  Error error;
  std::optional<Millis> retry_after = {};  // what the server asked for
  bool unanswered = false;                 // no server said this: there was no answer
};
// The pause that the server asked for, up to the longest that is heeded; zero if it asked for none.
Millis asked_for(const Failure& failure);

// How long to wait before sending again, or nothing if that is not allowed or not worth it.
// `failed` counts from 1.
std::optional<Millis> retry_delay(const Failure& failure, bool repeatable, int failed,
                                  Random& random, Servers servers = Servers::kOne);

// A pause of `wanted` where `left` of a patience is left. A caller that has none left but tries to
// make pauses no longer than `least`.
Millis pause_within(Millis left, Millis wanted, Millis least);

// The longest that one try can take, with the pause before it. When more time has passed, only this
// much counts as waiting, because this process must have been stopped.
constexpr Millis kLongestTry{45'000};

// The shortest time in which a try can be answered, however little is left of a patience.
constexpr Millis kShortestTry{3'000};

Millis try_within(Millis left);

// Whether a caller that has failed `failed` times should stop trying, because none of its patience
// is left. A few tries that fail at once are made in any case. Two are made however long they take,
// as this process may have been stopped during the first.
bool is_used_up(Millis left, int failed);

// Decides how long one request, or one part of it, is sent again. Every request gets a few tries.
// More follow, for as long as the caller's patience lasts, while the server does not answer or
// cannot write: it is being started, repaired or moved. A refusal is an answer and ends the tries,
// and so does a server's name that nobody has.
class Patience {
 public:
  // Given none, it is only tried the few times, with the pauses for which the server asks.
  explicit Patience(std::optional<Millis> total, Servers servers = Servers::kOne)
      : total_(total), servers_(servers) {}
  // Before a try: how long it may be without any sign of an answer; nothing: as long as others.
  std::optional<Millis> for_try(MonoTime now);
  // After another failure: how long to wait before it is sent again; nothing: that is no use.
  std::optional<Millis> after(const Failure& failure, bool repeatable, MonoTime now,
                              Random& random);
  // Whether the few tries that every request gets are used up.
  bool is_long() const;

 private:
  std::optional<Millis> total_;
  Servers servers_;
  int failed_ = 0;
  std::optional<LivedTime> waited_;
};

// The value of a Retry-After header in seconds; dates are not understood.
std::optional<Millis> parse_retry_after(std::string_view value);

}  // namespace paddock::client
