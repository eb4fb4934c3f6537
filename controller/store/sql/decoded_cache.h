// Objects as they were read last, decoded: an active run is read a hundred times for each time that
// it is written. A resource version names one state of one object for good, so nothing here is ever
// stale; only what is committed may come in, for a version that was rolled back is drawn again.
// What was not asked for the longest goes first. Any thread.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/base/guarded.h"

namespace paddock::store::sql {

struct Decoded {
  int64_t resource_version = 0;
  std::shared_ptr<const void> object;  // of the type that the row's kind is decoded to
  size_t bytes = 0;                    // of its text
};

class DecodedCache {
 public:
  explicit DecodedCache(size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  std::shared_ptr<const void> find(int64_t resource_version);
  void put(Decoded decoded);

 private:
  // Bytes of text. Decoded, it takes about three times as much.
  static constexpr size_t kMostBytes = size_t{8} << 20;
  struct State {
    std::list<Decoded> entries;  // what was asked for last comes first
    std::unordered_map<int64_t, std::list<Decoded>::iterator> by_version;
    size_t bytes = 0;
  };
  const size_t most_bytes_;
  Guarded<State> state_;
};

}  // namespace paddock::store::sql
