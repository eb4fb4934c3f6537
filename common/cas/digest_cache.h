// Remembers the digest of each file by what the kernel says about it, so that an unchanged file is
// not read again. A file is trusted only if device, inode, size and both times are the same and it
// was last touched clearly before it was read: a change within the same tick of the clock could
// hide otherwise. Losing the cache costs time only; a damaged one is started anew. Not thread-safe.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/contracts/tree.h"

namespace paddock::cas {

class DigestCache {
 public:
  // An empty path gives a cache that remembers nothing.
  explicit DigestCache(std::string path);

  std::optional<contracts::Digest> find(const struct stat& file);
  void remember(const struct stat& file, const contracts::Digest& digest);
  // Writes what was found or remembered, if that differs from what was loaded. Failing is no error.
  void save();

 private:
  struct Entry {
    int64_t size = 0;
    int64_t changed_ns = 0;   // of the inode
    int64_t modified_ns = 0;  // of the content
    contracts::Digest digest;
    bool used = false;
  };
  using Key = std::pair<uint64_t, uint64_t>;  // device, inode
  static std::optional<std::pair<Key, Entry>> parse_line(std::string_view line);
  static Entry describe(const struct stat& file);
  void load();

  std::string path_;
  int64_t trusted_before_ns_ = 0;  // by the filesystem's own clock, when the cache was opened
  std::map<Key, Entry> entries_;
  bool changed_ = false;
};

}  // namespace paddock::cas
