// Spreads runs with an allotment over the processors of this host: the next run goes to the
// processors with the fewest runs. An allotment does not exclude others, so one processor may have
// several. Thread-safe; holds may outlive the ledger.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "common/base/guarded.h"

namespace paddock::devices {

class ProcessorLedger {
  using Counts = std::map<int64_t, int64_t>;  // runs by processor
  using Shared = std::shared_ptr<Guarded<Counts>>;

 public:
  class Hold {
   public:
    Hold(Shared ledger, std::vector<int64_t> held)
        : ledger_(std::move(ledger)), held_(std::move(held)) {}
    Hold(Hold&&) = default;
    Hold& operator=(Hold&&) = delete;
    ~Hold();
    const std::vector<int64_t>& processors() const { return held_; }

   private:
    Shared ledger_;
    std::vector<int64_t> held_;
  };

  // `there`: numbers of those that this agent may use. None: the launcher chooses.
  explicit ProcessorLedger(const std::vector<int64_t>& there);
  // Takes this many processors, or all if there are fewer.
  Hold take(int64_t count);
  // For a run that an earlier agent process put there.
  Hold take_again(const std::vector<int64_t>& processors);

 private:
  const Shared counts_ = std::make_shared<Guarded<Counts>>();
};

// Numbers of those that this process may use; none where the system does not say.
std::vector<int64_t> own_processors();

}  // namespace paddock::devices
