// Knows which accelerators of this host are in use. Thread-safe; holds may outlive the ledger.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "node-agent/devices/accelerator.h"

namespace paddock::devices {

class AcceleratorLedger {
  struct State {
    std::vector<Accelerator> there;
    std::vector<std::string> used;
  };
  using Shared = std::shared_ptr<Guarded<State>>;

 public:
  // While one lives nobody else gets these. Movable.
  class Hold {
   public:
    Hold(Shared ledger, std::vector<Accelerator> granted)
        : ledger_(std::move(ledger)), granted_(std::move(granted)) {}
    Hold(Hold&&) = default;
    Hold& operator=(Hold&&) = delete;
    ~Hold();
    const std::vector<Accelerator>& granted() const { return granted_; }
    std::vector<std::string> ids() const;

   private:
    Shared ledger_;
    std::vector<Accelerator> granted_;
  };

  // Takes in the devices that this host has now, in place of those it had. Holds stay.
  void know(const std::vector<Accelerator>& there);
  // ACCELERATOR_UNAVAILABLE: see choose().
  Result<Hold> take(const contracts::Accelerators& wish);
  // For a run that an earlier agent process gave these devices, whatever has become of them since.
  // Before any take().
  Hold take_again(const std::vector<std::string>& ids);
  // Whether a run holds any device.
  bool in_use() const;

 private:
  const Shared state_ = std::make_shared<Guarded<State>>();
};

}  // namespace paddock::devices
