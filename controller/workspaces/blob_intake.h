// Blobs coming in from clients and nodes, within the operator's limits: size, quota, free disk.
// Any thread.
// What nothing needs any more is removed by Sweeper.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/cas/blobs.h"

namespace paddock::workspaces {

struct BlobLimits {
  int64_t max_blob = int64_t{4} << 30;
  int64_t quota = int64_t{64} << 30;      // all blobs together
  int64_t min_free = int64_t{256} << 20;  // of the file system, after the blob
  int64_t max_tree = int64_t{32} << 30;   // all files of one tree
};

// Hands the content over in pieces; fails with the first error that the receiver returns.
using BlobSource = std::function<Status(const std::function<Status(std::string_view)>&)>;

class BlobIntake {
 public:
  // `root` is the folder of `blobs`, whose disk must have room. Counts what is stored, which may
  // take long where many files are on another host; unless somebody has told how much it is about:
  // that is then good until count().
  static Result<std::unique_ptr<BlobIntake>> open(const cas::Blobs& blobs, const std::string& root,
                                                  const BlobLimits& limits,
                                                  std::optional<int64_t> told = {});
  // Counts anew. One at a time, beside everything else.
  Status count();
  bool counted() const { return counted_.load(); }

  // Stores one blob of `length` bytes. InvalidArgument: BAD_DIGEST, LENGTH_REQUIRED (length < 0),
  // DIGEST_MISMATCH, BLOB_INCOMPLETE; TooLarge: BLOB_TOO_LARGE; ResourceExhausted:
  // BLOB_QUOTA_EXCEEDED, DISK_FULL; and whatever `source` says. What is announced takes no quota,
  // what has arrived does. kLater: on the disk once a tree that names it is stored.
  // `shown`: the sender has shown to have it, so it may learn that it needs no room.
  Status receive(const cas::Digest& digest, int64_t length, const BlobSource& source,
                 cas::Durability durability = cas::Durability::kNow, bool shown = true);
  // Whether `length` more bytes fit; ResourceExhausted as receive().
  Status check_room(int64_t length) const;
  // Everything that is stored, no matter who stored it, trees too.
  int64_t used() const { return used_before_.load() + blobs_.growth(); }
  const BlobLimits& limits() const { return limits_; }

 private:
  BlobIntake(const cas::Blobs& blobs, std::string root, const BlobLimits& limits)
      : blobs_(blobs), root_(std::move(root)), limits_(limits) {}
  Status check_quota(int64_t length) const;

  const cas::Blobs& blobs_;
  std::string root_;
  BlobLimits limits_;
  std::atomic<int64_t> used_before_ = 0;
  std::atomic<bool> counted_ = false;
  std::atomic<int64_t> arriving_ = 0;  // in uploads that have not ended
};

}  // namespace paddock::workspaces
