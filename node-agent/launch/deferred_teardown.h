// Puts work off while a caller waits for an answer. On a host with few processors, taking apart
// finished sandboxes and making the next ones ready would take time from the answer under way.
// Thread-safe; starts no thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/time.h"
#include "node-agent/launch/attached_launch.h"

namespace paddock::launch {

class DeferredTeardown {
 public:
  // Asks who cleans up to do so in a while; costs who asks next to nothing. Any thread.
  using Wake = std::function<void(std::chrono::microseconds)>;
  // About how long it takes from the end of a use until its answer has been sent.
  static constexpr std::chrono::microseconds kAnswerSent{200};

  // `clock` outlives it. `processors`: of this host.
  DeferredTeardown(const Clock& clock, int64_t processors)
      : clock_(clock), processors_(processors) {}

  // Somebody waits for a launch, as long as this lives.
  class Use {
   public:
    Use(Use&& other) noexcept : start_(std::exchange(other.start_, nullptr)) {}
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (start_ != nullptr) start_->end_use();
    }
    // The answer is on its way; the launch, which is over, ends a little later, or at once where
    // others wait for every processor. True: the thread that cleans up has to be told.
    bool keep(AttachedLaunch used) { return start_->keep(std::move(used)); }

   private:
    friend class DeferredTeardown;
    explicit Use(DeferredTeardown& start) : start_(&start) {}
    DeferredTeardown* start_;
  };
  Use begin();
  int64_t under_way() const;
  // Whether a processor is left for what is only useful later.
  bool has_room() const { return under_way() < processors_; }
  // How long what is only useful later should wait: nothing where uses come close together, for
  // then there is no quiet moment to wait for.
  Millis rest() const;
  // Ends those that are due. Until the next one is.
  Millis clean_up();

 private:
  struct UsedLaunch {
    AttachedLaunch launch;
    MonoTime due{};
  };
  bool keep(AttachedLaunch used);
  void end_use();
  struct State {
    int64_t under_way = 0;
    MonoTime quiet{};  // until then, what is only useful later waits
    MonoTime last_begun{};
    MonoTime next_look{INT64_MAX};  // of who cleans up, at the latest
    std::vector<UsedLaunch> used;
  };

  const Clock& clock_;
  const int64_t processors_;
  Guarded<State> state_;
};

}  // namespace paddock::launch
