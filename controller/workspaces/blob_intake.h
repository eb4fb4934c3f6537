// Blobs coming in from clients and nodes, within the operator's limits: size, quota, free disk.
// Any thread.
// What nothing needs any more is removed by Sweeper.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
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
  // Counts what is stored; `root` is the folder of `blobs`, whose disk must have room.
  static Result<std::unique_ptr<BlobIntake>> open(const cas::Blobs& blobs, const std::string& root,
                                                  const BlobLimits& limits);

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
  int64_t used() const { return used_before_ + blobs_.growth(); }
  const BlobLimits& limits() const { return limits_; }

 private:
  BlobIntake(const cas::Blobs& blobs, std::string root, const BlobLimits& limits,
             int64_t used_before)
      : blobs_(blobs), root_(std::move(root)), limits_(limits), used_before_(used_before) {}
  Status check_quota(int64_t length) const;

  const cas::Blobs& blobs_;
  std::string root_;
  BlobLimits limits_;
  int64_t used_before_;
  std::atomic<int64_t> arriving_ = 0;  // in uploads that have not ended
};

}  // namespace paddock::workspaces
