#include "controller/store/sql/read_ahead.h"

#include <utility>

#include "common/base/text.h"
#include "common/contracts/run.h"

namespace paddock::store::sql {

namespace {

std::string place_of(std::string_view kind, const Key& key) {
  return cat(kind, "\n", key.name_space, "\n", key.name);
}

}  // namespace

void ReadAhead::put(AheadRow row) {
  changed(row.kind, row.key);
  full_ = full_ || bytes_ + row.data.size() > kMostBytes;
  if (full_) return;
  std::string place = place_of(row.kind, row.key);
  bytes_ += row.data.size();
  if (row.facts) facts_.insert_or_assign(row.uid, *std::exchange(row.facts, {}));
  if (row.kind == contracts::Run::kKind && !row.uid.empty()) runs_[row.uid] = place;
  rows_.insert_or_assign(std::move(place), std::move(row));
}

const AheadRow* ReadAhead::find(std::string_view kind, const Key& key) const {
  if (rows_.empty()) return nullptr;
  const auto found = rows_.find(place_of(kind, key));
  return found != rows_.end() ? &found->second : nullptr;
}

const AheadRow* ReadAhead::find_run(const std::string& uid) const {
  const auto place = runs_.find(uid);
  if (place == runs_.end()) return nullptr;
  const auto found = rows_.find(place->second);
  return found != rows_.end() && found->second.uid == uid ? &found->second : nullptr;
}

RunFacts* ReadAhead::facts(const std::string& run_uid) {
  const auto found = facts_.find(run_uid);
  return found != facts_.end() ? &found->second : nullptr;
}

void ReadAhead::changed(std::string_view kind, const Key& key) {
  if (rows_.empty()) return;
  const auto found = rows_.find(place_of(kind, key));
  if (found == rows_.end()) return;
  bytes_ -= found->second.data.size();
  runs_.erase(found->second.uid);
  rows_.erase(found);
}

// It is not always known here which run the object was, so everything kept beside runs is read
// again.
void ReadAhead::erased(std::string_view kind, const Key& key) {
  changed(kind, key);
  facts_.clear();
}

void ReadAhead::clear() {
  rows_.clear();
  runs_.clear();
  facts_.clear();
  bytes_ = 0;
  full_ = false;
}

}  // namespace paddock::store::sql
