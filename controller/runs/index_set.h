// Indexes of an array's elements, kept and written as ranges: `0-9,12`, as Kubernetes does. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::runs {

class IndexSet {
 public:
  // Reads what text() wrote. Internal (STORE_DATA_INVALID).
  static Result<IndexSet> parse(std::string_view text);
  std::string text() const;

  // False if it is there already.
  bool insert(int64_t index);
  // All of first to last; nothing if last is before first. None of them is there yet.
  void insert_range(int64_t first, int64_t last);
  bool contains(int64_t index) const;
  int64_t size() const { return size_; }
  // The lowest ones, at most so many.
  std::vector<int64_t> first(size_t most) const;

 private:
  struct Range {
    int64_t first;
    int64_t last;
  };
  // The first range that ends at or behind `index`.
  std::vector<Range>::const_iterator find(int64_t index) const;

  std::vector<Range> ranges_;  // in order, with a gap between any two
  int64_t size_ = 0;
};

}  // namespace paddock::runs
