// Which blobs were found to be what their digests say, so that none is served damaged and none is
// read twice for each answer. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "common/base/guarded.h"
#include "common/cas/blobs.h"

namespace paddock::api {

class SoundBlobs {
 public:
  // The whole blob is read the first time, and after its file changed; so each is at most a reading
  // of it late to its first reader. NotFound (BLOB_NOT_FOUND); Unavailable (BLOB_DAMAGED).
  Result<os::Fd> open(const cas::Blobs& blobs, const cas::Digest& digest);

 private:
  Result<os::Fd> open_copy(const cas::Blobs& blobs, const cas::Digest& digest);
  // A file that changed, or took another's place, has another one.
  using State = std::tuple<uint64_t, int64_t, int64_t, int64_t>;
  static constexpr size_t kMostKept = 100'000;
  Guarded<std::map<cas::Digest, State>> known_;
};

}  // namespace paddock::api
