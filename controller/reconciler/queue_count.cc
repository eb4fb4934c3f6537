#include "controller/reconciler/queue_count.h"

#include "controller/reconciler/queue_reservation.h"

namespace paddock::reconciler {
namespace {

using contracts::Run;

bool makes_elements(const Run& run) {
  if (!contracts::is_array(run.spec) || contracts::is_gang(run.spec)) return false;
  return !run.status.array || run.status.array->pending > 0;
}

// Beside an array's own. Once the members of a gang are made, each that waits takes its own.
int64_t places_of(const Run& run) {
  if (!contracts::is_array(run.spec))
    return run.status.phase == contracts::RunPhase::kPending ? 1 : 0;
  if (!contracts::is_gang(run.spec)) return 0;
  return run.status.array && run.status.array->created == 0 ? queue_places(run.spec) : 0;
}

}  // namespace

void QueueCount::put(const Run& run) {
  drop(run.metadata.uid);
  QueuedRun known{run.metadata.name_space, places_of(run), makes_elements(run), {}};
  if (run.status.element && known.places > 0) known.array_uid = run.status.element->uid;
  add(run.metadata.uid, known, 1);
  runs_[run.metadata.uid] = std::move(known);
}

void QueueCount::drop(const std::string& uid) {
  const auto known = runs_.find(uid);
  if (known == runs_.end()) return;
  add(uid, known->second, -1);
  runs_.erase(known);
}

void QueueCount::clear() {
  runs_.clear();
  makers_.clear();
  waiting_.clear();
}

int64_t QueueCount::waiting_in(const std::string& name_space) const {
  const auto found = waiting_.find(name_space);
  return found == waiting_.end() ? 0 : found->second;
}

bool QueueCount::has_own_place(const std::string& array_uid) const {
  const auto found = makers_.find(array_uid);
  return found != makers_.end() && found->second.makes && found->second.waiting == 0;
}

void QueueCount::add(const std::string& uid, const QueuedRun& known, int sign) {
  int64_t change = sign * known.places;
  const std::string& array = known.makes ? uid : known.array_uid;
  if (!array.empty()) {
    const bool before = has_own_place(array);
    Maker& maker = makers_[array];
    if (known.makes) maker.makes = sign > 0;
    if (!known.array_uid.empty()) maker.waiting += sign;
    change += int64_t{has_own_place(array)} - int64_t{before};
    if (!maker.makes && maker.waiting == 0) makers_.erase(array);
  }
  if (change != 0 && (waiting_[known.name_space] += change) == 0) waiting_.erase(known.name_space);
}

}  // namespace paddock::reconciler
