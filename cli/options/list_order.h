// In which order the items of a list are shown, and how many of them: `--sort-by`, `--limit`.
// Without these options runs and sessions, whose names are mostly made up, are shown oldest first,
// so that the newest is next to the prompt. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/command_row.h"
#include "cli/output/json_path.h"
#include "cli/output/kinds.h"

namespace paddock::cli {

// The value by which an object is sorted. Objects without the field come first, then numbers and
// quantities (`512Mi`) by their value, then texts by their bytes.
struct SortKey {
  bool there = false;
  std::optional<double> number;
  std::string text;
};
SortKey sort_key(std::string text);
bool operator<(const SortKey& a, const SortKey& b);

struct ListOrder {
  std::optional<JsonPath> by = {};
  std::optional<int64_t> limit = {};  // the last ones of the order
  bool newest_last = false;

  // Whether the whole list has to be there first; else it is shown as it comes.
  bool gathers() const { return by || limit || newest_last; }
  // Whether more of an object is needed than its metadata.
  bool reads_objects() const { return by.has_value(); }
  SortKey key_of(const wire::Value& object) const;
  // FIELD_UNKNOWN at --sort-by, where no object of the list has the field and none could. An object
  // of a newer server has fields that we do not know.
  template <class T>
  Status check_found(Kind kind, const std::vector<std::pair<SortKey, T>>& items) const {
    const auto has_it = [](const auto& item) { return item.first.there; };
    return std::any_of(items.begin(), items.end(), has_it) ? Status() : check_known(kind);
  }
  Status check_known(Kind kind) const;
};
// INVALID_OPTION, and BAD_JSONPATH of a path that is none. `as_rows`: it is for people.
Result<ListOrder> list_order(const Parsed& parsed, Kind kind, bool as_rows);

template <class T>
using Keyed = std::vector<std::pair<SortKey, T>>;

// Items that are equal keep their order.
template <class T>
void arrange(const ListOrder& order, Keyed<T>& items) {
  if (order.by || order.newest_last)
    std::stable_sort(items.begin(), items.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  if (!order.limit || items.size() <= static_cast<size_t>(*order.limit)) return;
  const auto rest = static_cast<std::ptrdiff_t>(items.size() - static_cast<size_t>(*order.limit));
  items.erase(items.begin(), items.begin() + rest);
}

// `-L team,stage`: INVALID_OPTION for one without a name.
Result<std::vector<std::string>> label_columns(const Parsed& parsed);
}  // namespace paddock::cli
