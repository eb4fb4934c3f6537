// Parts of answers that are under way: what is kept of them for callers who are slow to take them.
#include <numeric>
#include <utility>

#include "controller/calls/call_table.h"

namespace paddock::calls {
namespace {

// Output that is shown has no end: beyond this its node waits with the rest until the caller has
// read. What a node sends at once comes whole, so that much more may be there.
constexpr size_t kMostBytes = size_t{4} << 20;
constexpr size_t kMostKept = 128;

}  // namespace

size_t weight_of(const wire::Value& value) {
  size_t out = sizeof(wire::Value);
  if (const auto* text = value.string()) out += text->size();
  if (const auto* array = value.array()) {
    for (const wire::Value& each : *array) out += weight_of(each);
  }
  if (const auto* object = value.object()) {
    for (const auto& [key, each] : *object)
      out += sizeof(std::string) + key.size() + weight_of(each);
  }
  return out;
}

size_t weight_of(const std::vector<contracts::CallPiece>& pieces) {
  return std::accumulate(
      pieces.begin(), pieces.end(), size_t{0},
      [](size_t sum, const contracts::CallPiece& each) { return sum + weight_of(each.piece); });
}

std::vector<wire::Value> CallTable::take_pieces(const CallId& id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return {};
  return std::exchange(found->second.pieces, {});
}

void CallTable::note_written(const CallId& id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  Entry& entry = found->second;
  entry.kept = {};
  for (const wire::Value& each : entry.pieces) entry.kept.add(weight_of(each));
}

bool CallTable::has_room(const CallId& id) const {
  const auto found = calls_.find(id);
  if (found == calls_.end() || found->second.outcome) return true;
  const Kept& kept = found->second.kept;
  return kept.pieces < kMostKept && kept.bytes < kMostBytes;
}

void CallTable::pass_on(const LaneKey& lane, const std::vector<contracts::CallPiece>& pieces,
                        Wakes& wakes) {
  for (const contracts::CallPiece& each : pieces) {
    const auto found = calls_.find(each.id);
    if (found == calls_.end() || !found->second.given || found->second.outcome) continue;
    Entry& entry = found->second;
    const LaneKey& holder = *entry.given;
    if (holder.node != lane.node || holder.process != lane.process) continue;
    if (each.seq <= entry.last_piece) continue;  // it came before
    entry.last_piece = each.seq;
    entry.kept.add(weight_of(each.piece));
    entry.pieces.push_back(each.piece);
    wakes.callers.push_back(each.id);
  }
}

}  // namespace paddock::calls
