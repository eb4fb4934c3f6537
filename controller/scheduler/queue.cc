#include "controller/scheduler/queue.h"

#include <algorithm>

namespace paddock::scheduler {

namespace {

// A line and how far it was read.
struct Reader {
  Queue::Line::const_iterator at;
  Queue::Line::const_iterator end;
};

// For std::*_heap, which keep the largest in front: the oldest run is the largest.
bool younger_reader(const Reader& a, const Reader& b) { return *b.at < *a.at; }

void read_level(const Queue::Level& level, size_t most, std::vector<std::string>& out) {
  std::vector<Reader> readers;
  for (const auto& [name, space] : level) {
    for (const auto& [id, line] : space) {
      if (!line.empty()) readers.push_back({line.begin(), line.end()});
    }
  }
  std::ranges::make_heap(readers, younger_reader);
  while (!readers.empty() && out.size() < most) {
    std::ranges::pop_heap(readers, younger_reader);
    Reader& oldest = readers.back();
    out.push_back(oldest.at->uid);
    if (++oldest.at == oldest.end) {
      readers.pop_back();
    } else {
      std::ranges::push_heap(readers, younger_reader);
    }
  }
}

}  // namespace

void Queue::add(int64_t priority, const std::string& name_space, DemandClasses::Id id,
                Waiting run) {
  levels_[priority][name_space][id].insert(std::move(run));
}

std::vector<std::string> Queue::front(size_t most) const {
  std::vector<std::string> out;
  for (const auto& [priority, level] : levels_) {
    if (out.size() >= most) break;
    read_level(level, most, out);
  }
  return out;
}

// Nothing empty is left behind.
void Queue::remove(int64_t priority, const std::string& name_space, DemandClasses::Id id,
                   const Waiting& run) {
  const auto level = levels_.find(priority);
  if (level == levels_.end()) return;
  const auto space = level->second.find(name_space);
  if (space == level->second.end()) return;
  const auto line = space->second.find(id);
  if (line == space->second.end()) return;
  line->second.erase(run);
  if (line->second.empty()) space->second.erase(line);
  if (space->second.empty()) level->second.erase(space);
  if (level->second.empty()) levels_.erase(level);
}

}  // namespace paddock::scheduler
