// How blobs are named in a bucket, below its prefix. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/text.h"
#include "common/contracts/tree.h"

namespace paddock::bucket {

inline constexpr const char* kBlobs = "blobs/";

// blobs/<first two hex digits>/<digest>
inline std::string key_of(const contracts::Digest& digest) {
  return cat(kBlobs, digest.substr(0, 2), "/", digest);
}

// None if the key is not that of a blob.
inline std::optional<contracts::Digest> digest_of(std::string_view key) {
  const size_t slash = key.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  contracts::Digest digest(key.substr(slash + 1));
  if (!contracts::is_digest(digest) || key_of(digest) != key) return std::nullopt;
  return digest;
}

}  // namespace paddock::bucket
