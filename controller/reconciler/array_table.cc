#include "controller/reconciler/array_table.h"

#include "common/base/text.h"

namespace paddock::reconciler {

namespace {

std::string path_of(const std::string& name_space, const std::string& name) {
  return cat(name_space, "/", name);
}

std::string wish_of(const contracts::Run& array) {
  return cat(array.metadata.generation, array.status.eviction ? " ends" : "",
             array.status.kill_now ? " now" : "");
}

}  // namespace

void ArrayTable::clear() {
  entries_.clear();
  dirty_.clear();
}

void ArrayTable::put_array(const contracts::Run& run) {
  const std::string path = path_of(run.metadata.name_space, run.metadata.name);
  const bool over = contracts::is_terminal(run.status.phase);
  if (over && !run.metadata.deletion_timestamp) {
    entries_.erase(path);
    dirty_.erase(path);
    return;
  }
  Entry& entry = entries_[path];
  if (entry.uid != run.metadata.uid) {
    entry = {};
    entry.key = {run.metadata.name_space, run.metadata.name};
    entry.uid = run.metadata.uid;
    entry.scan = run.status.array && run.status.array->created > 0;
  }
  entry.waits = run.status.phase == contracts::RunPhase::kPending;
  std::string wish = wish_of(run);
  if (wish == entry.wish && !over) return;  // what was written of it was written by us
  entry.wish = std::move(wish);
  dirty_.insert(path);
}

void ArrayTable::put_element(const contracts::Run& run) {
  const contracts::ArrayElement& element = *run.status.element;
  const std::string path = path_of(run.metadata.name_space, element.array);
  Entry* entry = find(path);
  if (entry == nullptr || entry->uid != element.uid) return;
  if (contracts::is_terminal(run.status.phase)) return end_element(*entry, element.index, path);
  entry->live.insert(element.index);
  const bool waits = run.status.phase == contracts::RunPhase::kPending;
  if (!entry->waits && !(element.members && waits)) return;  // a member that waits again
  if (run.status.phase != contracts::RunPhase::kPending) entry->placed = true;
  dirty_.insert(path);  // it may begin, or tell another reason
}

void ArrayTable::drop(const store::Key& key) {
  const std::string path = path_of(key.name_space, key.name);
  entries_.erase(path);
  dirty_.erase(path);
  const auto element = contracts::parse_element_name(key.name);
  if (!element) return;
  const std::string array = path_of(key.name_space, element->array);
  if (Entry* entry = find(array)) end_element(*entry, element->index, array);
}

void ArrayTable::end_element(Entry& entry, int64_t index, const std::string& path) {
  entry.live.erase(index);
  entry.over.insert(index);
  dirty_.insert(path);
}

ArrayTable::Entry* ArrayTable::find(const std::string& path) {
  const auto found = entries_.find(path);
  return found == entries_.end() ? nullptr : &found->second;
}

}  // namespace paddock::reconciler
