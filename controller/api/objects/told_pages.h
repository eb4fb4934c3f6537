// Remembers which objects a watch told in its first, paged list of a kind. Each page is read in a
// snapshot of its own, so objects on a later page already have the changes since the first page,
// which must not be told a second time. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace paddock::api {

// The place of an object in the order of the pages; for most kinds, namespace and name.
using ListPlace = std::pair<std::string, std::string>;

class ToldPages {
 public:
  // The next page, with its end and the version of its snapshot; without an end it is the last one.
  void add(std::optional<ListPlace> last, int64_t version);
  // Whether what a change of that version made of the object there was told.
  bool has(const ListPlace& place, int64_t version) const;
  int64_t first() const { return first_; }    // the version from which on changes are needed
  int64_t newest() const { return newest_; }  // behind it, has() is false for all

 private:
  struct Page {
    ListPlace last;
    int64_t version;
  };
  std::vector<Page> pages_;  // those that end somewhere, in order; equal versions are one
  int64_t first_ = 0;
  int64_t newest_ = 0;
};

}  // namespace paddock::api
