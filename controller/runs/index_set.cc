#include "controller/runs/index_set.h"

#include <algorithm>
#include <optional>

#include "common/base/text.h"

namespace paddock::runs {

namespace {

Error invalid(std::string_view text) {
  return {Code::kInternal, "STORE_DATA_INVALID",
          cat("\"", text.substr(0, 100), "\" are no indexes of an array")};
}

}  // namespace

Result<IndexSet> IndexSet::parse(std::string_view text) {
  IndexSet out;
  int64_t least = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, end);
    const size_t dash = std::min(word.find('-'), word.size());
    const auto first = parse_integer<int64_t>(word.substr(0, dash));
    const auto last = dash == word.size() ? first : parse_integer<int64_t>(word.substr(dash + 1));
    if (!first || !last || *first < least || *last < *first) return invalid(word);
    out.insert_range(*first, *last);
    least = *last + 1;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string IndexSet::text() const {
  std::string out;
  for (const Range& range : ranges_) {
    if (!out.empty()) out += ',';
    out += std::to_string(range.first);
    if (range.last > range.first) out += cat("-", range.last);
  }
  return out;
}

std::vector<IndexSet::Range>::const_iterator IndexSet::find(int64_t index) const {
  return std::ranges::lower_bound(ranges_, index, {}, &Range::last);
}

bool IndexSet::contains(int64_t index) const {
  const auto at = find(index);
  return at != ranges_.end() && at->first <= index;
}

std::vector<int64_t> IndexSet::first(size_t most) const {
  std::vector<int64_t> out;
  for (const Range& range : ranges_) {
    for (int64_t index = range.first; index <= range.last && out.size() < most; ++index)
      out.push_back(index);
  }
  return out;
}

bool IndexSet::insert(int64_t index) {
  if (contains(index)) return false;
  insert_range(index, index);
  return true;
}

void IndexSet::insert_range(int64_t first, int64_t last) {
  if (last < first) return;
  size_ += last - first + 1;
  auto behind = ranges_.begin() + (find(first) - ranges_.cbegin());
  const bool joins_behind = behind != ranges_.end() && behind->first == last + 1;
  const bool joins_before = behind != ranges_.begin() && (behind - 1)->last + 1 == first;
  if (joins_before) {
    (behind - 1)->last = joins_behind ? behind->last : last;
    if (joins_behind) ranges_.erase(behind);
  } else if (joins_behind) {
    behind->first = first;
  } else {
    ranges_.insert(behind, {first, last});
  }
}

}  // namespace paddock::runs
