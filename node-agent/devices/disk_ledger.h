// Counts the bytes on their way to the disk of the workspaces, so that several runs whose files
// come at the same time are not each promised the same room. Thread-safe; holds may outlive the
// ledger.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/base/guarded.h"
#include "common/base/result.h"

namespace paddock::devices {

// Reason of a run whose files have no room on this node, while others may have.
inline constexpr Reason kNodeDiskTooSmall = "NODE_DISK_TOO_SMALL";

class DiskLedger {
  struct Part {
    int64_t bytes = 0;
    int64_t holders = 0;
  };
  struct Entries {
    std::map<std::string, Part> parts;  // by what they are
    int64_t bytes = 0;                  // of all of them
  };
  using Shared = std::shared_ptr<Guarded<Entries>>;

 public:
  // While one lives its bytes are counted as gone. Movable.
  class Hold {
   public:
    Hold(Shared held, std::string what) : held_(std::move(held)), what_(std::move(what)) {}
    Hold(Hold&&) = default;
    Hold& operator=(Hold&&) = delete;
    ~Hold();

   private:
    Shared held_;
    std::string what_;
  };

  // `folder` lies on that disk, of which `min_free` bytes stay free. `on_shortage` is called before
  // a refusal, so that the node's status shows the shortage before the refusal arrives.
  DiskLedger(std::string folder, int64_t min_free, std::function<void()> on_shortage)
      : folder_(std::move(folder)), min_free_(min_free), on_shortage_(std::move(on_shortage)) {}

  // Reserves room for so many bytes in so many files. `what` names them: if the same files are
  // being fetched for another run already, they need no more room. ResourceExhausted,
  // NODE_DISK_TOO_SMALL.
  Result<Hold> take(const std::string& what, int64_t bytes, int64_t files);
  int64_t held() const {
    return held_->with([](const Entries& held) { return held.bytes; });
  }
  // Whether a reservation was refused since made_room() that would fit on an empty disk.
  bool is_short() const { return short_; }
  void made_room() { short_ = false; }

 private:
  const std::string folder_;
  const int64_t min_free_;
  const std::function<void()> on_shortage_;
  std::atomic<bool> short_ = false;
  const Shared held_ = std::make_shared<Guarded<Entries>>();
};

}  // namespace paddock::devices
