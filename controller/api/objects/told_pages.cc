#include "controller/api/objects/told_pages.h"

#include <algorithm>

namespace paddock::api {

void ToldPages::add(std::optional<ListPlace> last, int64_t version) {
  if (first_ == 0) first_ = version;
  newest_ = version;
  if (!last) return;
  if (!pages_.empty() && pages_.back().version == version) {
    pages_.back().last = std::move(*last);
  } else {
    pages_.push_back({std::move(*last), version});
  }
}

bool ToldPages::has(const ListPlace& place, int64_t version) const {
  if (version > newest_) return false;
  const auto page = std::ranges::lower_bound(pages_, place, {}, &Page::last);
  return version <= (page == pages_.end() ? newest_ : page->version);
}

}  // namespace paddock::api
