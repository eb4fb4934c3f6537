// Proves this host's sandbox anew while the agent runs: when its program was replaced, when a
// sandbox could not be set up, and for as long as none can be. One proof at a time, and no more
// than a tenth of a processor for all of them together. Has a thread of its own between start() and
// stop(). Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "common/base/time.h"
#include "common/contracts/canary.h"
#include "common/os/event.h"

namespace paddock::agent {

// Why no sandbox at all can be set up on the host that proved this; nothing: one can.
std::optional<Error> sandbox_fault(const contracts::SandboxProof& proof);
// Whether something that was proven before is not proven any more. Pure.
bool lost_something(const contracts::SandboxProof& before, const contracts::SandboxProof& now);
// How long the next proof waits for, after one that took so long. Pure.
Millis rest_after_proof(Millis took);

class SandboxProver {
 public:
  // Takes a second or so, and gives up with an error once `stop` can be read.
  using Prove = std::function<Result<contracts::SandboxProof>(int stop)>;
  // Called, from the thread, with what has been proven, and with the reason if no sandbox can be
  // set up.
  using Tell =
      std::function<void(const contracts::SandboxProof&, const std::optional<Error>& fault)>;

  // `known`: what was proven last.
  SandboxProver(Prove prove, contracts::SandboxProof known, Tell tell, const Clock& clock);
  ~SandboxProver() { stop(); }
  SandboxProver(const SandboxProver&) = delete;
  SandboxProver& operator=(const SandboxProver&) = delete;

  void start();
  // Ends a proof that is under way, with its sandboxes.
  void stop();

  // For a launcher program that was replaced: no proof that was begun before counts any more.
  void prove_again();
  // Something may be wrong, so the sandbox is proven anew in its turn. Waits for nothing.
  void doubt();
  // Why no sandbox can be set up, as far as is known.
  std::optional<Error> fault() const;
  // For a caller for whom no sandbox could be set up, although one could be expected since `since`:
  // whether the host can do less than it could then. Waits until that was tried after this call.
  // False also where it is not known: once `give_up` is true and wake() was called, or from stop().
  bool lost_since(MonoTime since, const std::atomic<bool>& give_up);
  void wake();

 private:
  struct State {
    bool over = false;
    bool wanted = false;
    bool urgent = false;  // does not wait for its turn
    int64_t begun = 0;    // proofs
    int64_t done = 0;     // the newest of them that has ended
    std::optional<MonoTime> rests_until;
    contracts::SandboxProof known;
    std::optional<Error> fault;
    std::optional<MonoTime> lost_at;  // when something that had been proven was so no more
  };
  bool due(MonoTime now) const;
  bool wait_until_due();
  void work();
  void take(const contracts::SandboxProof& proof, std::optional<Error> fault, MonoTime begun);

  const Prove prove_;
  const Tell tell_;
  const Clock& clock_;
  const os::Event end_;
  mutable std::mutex mutex_;  // guards state_
  std::condition_variable changed_;
  State state_;
  std::thread thread_;
};

}  // namespace paddock::agent
