// What is on its way to the disk that workspaces are on, so that runs whose files come at the same
// time are not each told of the same room. Thread-safe; holds may outlive the ledger.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"

namespace paddock::devices {

// Reason of a run whose files have no room on this node, while others may have.
inline constexpr const char* kNodeDiskTooSmall = "NODE_DISK_TOO_SMALL";

class DiskLedger {
  using Shared = std::shared_ptr<std::atomic<int64_t>>;

 public:
  // While one lives its bytes are counted as gone. Movable.
  class Hold {
   public:
    Hold(Shared held, int64_t bytes) : held_(std::move(held)), bytes_(bytes) {}
    Hold(Hold&&) = default;
    Hold& operator=(Hold&&) = delete;
    ~Hold();

   private:
    Shared held_;
    int64_t bytes_;
  };

  // `folder` on that disk, of which `min_free` bytes are nobody's. `on_shortage` is called before a
  // refusal: so the node says what it has before it says whom it had not enough for.
  DiskLedger(std::string folder, int64_t min_free, std::function<void()> on_shortage)
      : folder_(std::move(folder)), min_free_(min_free), on_shortage_(std::move(on_shortage)) {}

  // Room for so many bytes in so many files. ResourceExhausted, NODE_DISK_TOO_SMALL.
  Result<Hold> take(int64_t bytes, int64_t files);
  int64_t held() const { return held_->load(); }
  // Whether somebody was refused since room was made.
  bool is_short() const { return short_; }
  void made_room() { short_ = false; }

 private:
  const std::string folder_;
  const int64_t min_free_;
  const std::function<void()> on_shortage_;
  std::atomic<bool> short_ = false;
  const Shared held_ = std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace paddock::devices
