// Whoever waits for an answer goes first: on a host with few processors, taking apart what has
// ended and making ready what comes next would take them from the answer that is under way.
// Thread-safe; starts no thread.
#pragma once

#include <vector>

#include "common/base/guarded.h"
#include "common/base/time.h"
#include "common/launch/fed_launch.h"

namespace paddock::launch {

class HeadStart {
 public:
  // `clock` outlives it.
  explicit HeadStart(const Clock& clock) : clock_(clock) {}

  // Somebody has begun to wait for a launch.
  void begun();
  // How long what is only useful later should wait: nothing where uses come close together, for
  // then there is no quiet moment to wait for.
  Millis rest() const;
  // The answer is on its way; the launch, which is over, ends a little later. True: not when
  // rest() is over, so whoever tidies has to be told.
  bool keep(FedLaunch used);
  // Ends those that are due. Until the next one is.
  Millis tidy();

 private:
  struct Used {
    FedLaunch launch;
    MonoTime due{};
  };
  struct State {
    MonoTime quiet{};  // until then, what is only useful later waits
    MonoTime last_begun{};
    std::vector<Used> used;
  };

  const Clock& clock_;
  Guarded<State> state_;
};

}  // namespace paddock::launch
