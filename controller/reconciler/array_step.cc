#include "controller/reconciler/array_step.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "controller/runs/gangs.h"
#include "controller/store/run_writes.h"

namespace paddock::reconciler {

using contracts::Run;

namespace {

// The most elements of one array that are made in one step, so that others have their turn.
constexpr int64_t kMostOfOne = 200;

store::Key key_of(const Run& array, int64_t index) {
  return {array.metadata.name_space, contracts::element_name(array.metadata.name, index)};
}

// Logs a run that is left behind: it has the name of an element, and only its text, which cannot be
// read, could say whether it is one.
void tell_left_behind(const Run& array, const store::Key& key, const Error& why) {
  log_warn(
      "an array is deleted, and a run that has the name of one of its elements cannot be read and "
      "stays: delete it by its name, or start the version that wrote it",
      {{"namespace", key.name_space},
       {"array", array.metadata.name},
       {"run", key.name},
       {"error", why.describe()}});
}

}  // namespace

Status ArrayStep::run() {
  const std::vector<std::string> paths(table_.dirty().begin(), table_.dirty().end());
  for (const std::string& path : paths) {
    table_.settle(path);
    Entry* entry = table_.find(path);
    if (entry != nullptr) TRY(advance(path, *entry));
  }
  return {};
}

Status ArrayStep::advance(const std::string& path, Entry& entry) {
  ASSIGN_OR_RETURN(std::optional<Run> array, txn_.find<Run>(entry.key));
  if (!array || array->metadata.uid != entry.uid) return {};  // its own change comes
  runs::Events events;
  if (contracts::is_terminal(array->status.phase)) {
    TRY(erase_elements(path, *array));
  } else {
    TRY(live_on(path, entry, *array, events));
  }
  return store::save_run(txn_, *array, std::move(events));
}

Status ArrayStep::live_on(const std::string& path, Entry& entry, Run& array, runs::Events& events) {
  const auto add = [&events](runs::Events more) {
    std::ranges::move(more, std::back_inserter(events));
  };
  TRY(count(entry, array));
  const bool gang = contracts::is_gang(array.spec);
  const bool any_over = array.status.array->created > array.status.array->active;
  if (!gang && (entry.placed || any_over)) add(runs::start_array(array, now_));
  if (gang) TRY(advance_gang(entry, array, events));
  TRY(make(path, entry, array));
  TRY(end_elements(entry, array));
  if (!runs::array_end(array)) return explain(entry, array, events);
  TRY(runs::give_up_unmade(array));
  add(runs::end_array(array, *runs::array_end(array), now_));
  return {};
}

// Counts the elements that ended since the last call; after a start of the controller, all that it
// did not see.
Status ArrayStep::count(Entry& entry, Run& array) {
  if (std::exchange(entry.scan, false)) {
    ASSIGN_OR_RETURN(const runs::EndedIndexes ended, runs::ended_indexes(array));
    for (int64_t index = 0; index < array.status.array->created; ++index) {
      if (!entry.live.contains(index) && !ended.contains(index)) entry.over.insert(index);
    }
  }
  std::vector<runs::ElementEnd> ends;
  for (const int64_t index : std::exchange(entry.over, {})) {
    if (index >= array.status.array->created) continue;  // no element of ours had that name
    ASSIGN_OR_RETURN(auto end, end_of(entry, array, index));
    if (end) ends.push_back(std::move(*end));
  }
  return runs::count_ends(array, ends);
}

Result<std::optional<runs::ElementEnd>> ArrayStep::end_of(Entry& entry, const Run& array,
                                                          int64_t index) {
  ASSIGN_OR_RETURN(const std::optional<Run> run, element(array, index));
  if (!run) return std::optional(runs::deleted_end(array, index));
  if (contracts::is_terminal(run->status.phase)) return std::optional(runs::end_of(*run));
  entry.live.insert(index);
  return std::optional<runs::ElementEnd>();
}

Result<std::optional<Run>> ArrayStep::element(const Run& array, int64_t index) {
  ASSIGN_OR_RETURN(std::optional<Run> run, txn_.find_readable<Run>(key_of(array, index)));
  if (run && !runs::is_element_of(*run, array)) run.reset();
  return run;
}

// Decides about the living members of a gang when one member has ended, or its attempt is over. A
// member that ends at once is counted in the next step.
Status ArrayStep::advance_gang(Entry& entry, Run& gang, runs::Events& events) {
  const bool member_ended = runs::stop_of(gang) == runs::ArrayStop::kMemberEnded;
  if (member_ended && entry.ends_as_one) return {};  // who is told to end is never placed again
  std::vector<Run> live;
  for (const int64_t index : entry.live) {
    ASSIGN_OR_RETURN(std::optional<Run> member, element(gang, index));
    if (member && !contracts::is_terminal(member->status.phase)) live.push_back(std::move(*member));
  }
  const runs::GangMove move = runs::next_move(gang, live);
  if (move.what == runs::GangMove::What::kNothing) return {};
  runs::GangChanges changes = runs::make_move(move, gang, live, now_);
  std::ranges::move(changes.gang, std::back_inserter(events));
  if (move.what == runs::GangMove::What::kBegin) return {};
  for (size_t i = 0; i < live.size(); ++i)
    TRY(store::save_run(txn_, live[i], std::move(changes.members[i])));
  entry.ends_as_one = member_ended;
  return {};
}

// The members of a gang are made all at once: they took their places of the queue when the gang was
// created.
int64_t ArrayStep::may_make(const Run& array, int64_t wanted, int64_t room) const {
  if (!makes_) return 0;
  if (contracts::is_gang(array.spec)) return wanted <= writes_left_ ? wanted : 0;
  return std::min({wanted, room, kMostOfOne, writes_left_});
}

// Elements that are made here count as live at once; the cache sees them only when it catches up.
Status ArrayStep::make(const std::string& path, Entry& entry, Run& array) {
  const std::string& space = array.metadata.name_space;
  const Places places = room_(array);
  const int64_t room = std::max<int64_t>(0, places.most - taken_in_[space]);
  const int64_t wanted = runs::elements_to_make(array, contracts::kMostParallel);
  const int64_t now = may_make(array, wanted, room);
  const int64_t first = array.status.array->created;
  std::vector<runs::ElementEnd> unmade;
  for (int64_t index = first; index < first + now; ++index) {
    ASSIGN_OR_RETURN(const bool made, make_one(array, index));
    if (made) {
      entry.live.insert(index);
    } else {
      unmade.push_back(runs::unmade_end(array, index));
    }
  }
  if (!contracts::is_gang(array.spec) && now > 0) taken_in_[space] += now - int64_t{places.has_own};
  writes_left_ -= now;
  TRY(runs::note_made(array, first + now));
  TRY(runs::count_ends(array, unmade));
  if (now == wanted && unmade.empty()) return {};
  table_.mark(path);  // once there is room, or time
  if (makes_ && (now < room || contracts::is_gang(array.spec))) more_ = true;
  return {};
}

// False if another run has its name. Creation refuses that for as long as the array is there.
Result<bool> ArrayStep::make_one(const Run& array, int64_t index) {
  Run run = runs::make_element(array, index, now_);
  ASSIGN_OR_RETURN(const bool taken,
                   txn_.exists(Run::kKind, {run.metadata.name_space, run.metadata.name}));
  if (taken) return false;
  runs::Events events = runs::admit(run, now_);
  TRY(store::create_run(txn_, run, std::move(events)));
  return true;
}

// Ends the elements. At the array's deadline each element ends by its own, which is the same. Each
// element is asked once: no more are made, so this need not be repeated when another one ends.
Status ArrayStep::end_elements(Entry& entry, const Run& array) {
  const runs::ArrayStop stop = runs::stop_of(array);
  const bool by_themselves = stop == runs::ArrayStop::kDeadline ||
                             stop == runs::ArrayStop::kMemberEnded;  // advance_gang()
  if (stop == runs::ArrayStop::kNone || by_themselves) return {};
  const int wanted = array.status.kill_now ? 2 : 1;
  if (std::exchange(entry.told, std::max(entry.told, wanted)) >= wanted) return {};
  for (const int64_t index : entry.live) {
    ASSIGN_OR_RETURN(std::optional<Run> run, element(array, index));
    if (!run) continue;
    runs::Events events = runs::request_cancel(*run, now_);
    if (array.status.kill_now)
      std::ranges::move(runs::kill_now(*run, now_), std::back_inserter(events));
    if (!events.empty()) TRY(store::save_run(txn_, *run, std::move(events)));
  }
  return {};
}

Status ArrayStep::explain(const Entry& entry, Run& array, runs::Events& events) {
  if (array.status.phase != contracts::RunPhase::kPending || entry.live.empty()) return {};
  ASSIGN_OR_RETURN(const std::optional<Run> first, element(array, *entry.live.begin()));
  if (first)
    std::ranges::move(runs::explain_array(array, *first, now_), std::back_inserter(events));
  return {};
}

// Erases the elements from the last one down, so that those left are always the ones below
// `created`. The array itself goes with its last element, in store::save_run().
Status ArrayStep::erase_elements(const std::string& path, Run& array) {
  if (!array.metadata.deletion_timestamp) return {};
  int64_t& left = array.status.array->created;
  for (int64_t most = std::min(kMostOfOne, writes_left_); left > 0; --left, --most) {
    if (most == 0) {
      table_.mark(path);
      more_ = true;
      return {};
    }
    ASSIGN_OR_RETURN(const bool gone, erase_one(array, left - 1));
    if (!gone) return {};  // its finalizer's removal is a change of its own
    --writes_left_;
  }
  return {};
}

Result<bool> ArrayStep::erase_one(const Run& array, int64_t index) {
  const store::Key key = key_of(array, index);
  Result<std::optional<Run>> found = txn_.find<Run>(key);
  if (!found && store::is_unreadable(found.error())) {
    tell_left_behind(array, key, found.error());
    return true;
  }
  ASSIGN_OR_RETURN(std::optional<Run> run, std::move(found));
  if (!run || !runs::is_element_of(*run, array)) return true;
  if (store::holds_nothing(*run)) {
    txn_.touch(store::run_topic(run->metadata.uid));
    TRY(store::erase_run(txn_, *run));
    return true;
  }
  if (!run->metadata.deletion_timestamp) {
    run->metadata.deletion_timestamp = wire::Timestamp{now_};
    run->metadata.deletion_grace_period_seconds = array.metadata.deletion_grace_period_seconds;
    run->metadata.generation += 1;
    TRY(txn_.update(*run));
  }
  return false;
}

}  // namespace paddock::reconciler
