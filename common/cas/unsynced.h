// Blobs that were written and not yet synchronised with the disk, as one fact on the disk: a marker
// file, there before the first of them and gone after sync(). So thousands of small blobs cost one
// flush, and after a crash of the host exactly those are checked again that may be damaged.
// Thread-safe; one per folder and process.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/guarded.h"
#include "common/base/result.h"

namespace paddock::cas {

class Unsynced {
 public:
  // Takes the marker of an earlier process over, if the host was up ever since.
  explicit Unsynced(std::string root);
  // Since when blobs may be damaged, in seconds of the system's clock, if the host went down while
  // there were any. recovered() ends that.
  bool must_check(int64_t& since_s) const;
  Status recovered();

  Status before_write();  // a call of written() belongs to each that went well
  void written();
  // Returns once everything that was written before the call is on the disk.
  Status sync();

 private:
  struct State {
    uint64_t writes = 0;
    uint64_t under_way = 0;
    bool marked = false;
  };
  Status flush() const;

  const std::string root_;
  const std::string marker_;
  const std::string boot_;
  Guarded<State> state_;
};

}  // namespace paddock::cas
