#include "controller/runs/arrays.h"

#include <algorithm>
#include <map>

#include "common/base/text.h"
#include "controller/runs/transitions.h"

namespace paddock::runs {

using contracts::ArrayStatus;
using contracts::Run;
using contracts::RunPhase;

namespace {

const ArrayStatus& status_of(const Run& array) {
  if (!array.status.array) panic("an array has a status of its elements from its creation on");
  return *array.status.array;
}

IndexSet& set_for(EndedIndexes& ended, RunPhase phase) {
  if (phase == RunPhase::kSucceeded) return ended.succeeded;
  return phase == RunPhase::kFailed ? ended.failed : ended.canceled;
}

void write(const EndedIndexes& ended, Run& array) {
  ArrayStatus& status = *array.status.array;
  status.completed_indexes = ended.succeeded.text();
  status.failed_indexes = ended.failed.text();
  status.canceled_indexes = ended.canceled.text();
  status.succeeded = ended.succeeded.size();
  status.failed = ended.failed.size();
  status.canceled = ended.canceled.size();
  const int64_t unmade = contracts::element_count(array.spec) - status.created;
  const int64_t over = status.succeeded + status.failed + status.canceled;
  status.pending = contracts::is_terminal(array.status.phase) ? 0 : unmade;
  status.active = std::max<int64_t>(0, status.created - over);
}

std::string counts_text(const Run& array) {
  const ArrayStatus& status = status_of(array);
  std::string text = cat(status.succeeded, " of ", contracts::element_count(array.spec),
                         contracts::is_gang(array.spec) ? " members" : " elements", " succeeded");
  if (status.failed > 0) text += cat(", ", status.failed, " failed");
  if (status.canceled > 0) text += cat(", ", status.canceled, " canceled");
  if (const auto& first = status.first_failure) {
    text += cat("; the first to fail was ", first->run);
    if (first->rc) text += cat(", rc ", *first->rc);
    if (!first->message.empty()) text += cat(": ", first->message);
  }
  return text;
}

// The array's, but for the last twelve digits: when it was made, and its index. So elements that
// are made at one time go in the order of their indexes, and one that is made again, by a
// controller whose store is an older one, is another run to its node.
std::string element_uid(const std::string& array_uid, int64_t index, WallTime now) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr uint64_t kMostIndexes = 1 << 16;
  static_assert(contracts::kMostElements <= kMostIndexes);
  uint64_t number = static_cast<uint64_t>(now.ms) * kMostIndexes + static_cast<uint64_t>(index);
  std::string tail(12, '0');
  for (size_t i = tail.size(); i > 0; number /= 16) tail[--i] = kDigits[number % 16];
  return array_uid.substr(0, 24) + tail;
}

void name_element(const Run& array, int64_t index,
                  std::map<std::string, std::string>& environment) {
  const bool gang = contracts::is_gang(array.spec);
  environment[gang ? contracts::kRankVariable : contracts::kArrayIndexVariable] =
      std::to_string(index);
  environment[gang ? contracts::kSizeVariable : contracts::kArrayCountVariable] =
      std::to_string(contracts::element_count(array.spec));
}

}  // namespace

ElementEnd end_of(const Run& element) {
  const contracts::RunStatus& status = element.status;
  ElementEnd end{status.element->index, status.phase,   element.metadata.name,
                 status.reason,         status.message, {}};
  if (status.result) end.rc = status.result->rc;
  return end;
}

ElementEnd deleted_end(const Run& array, int64_t index) {
  return {index, RunPhase::kCanceled, contracts::element_name(array.metadata.name, index), {}, {},
          {}};
}

ElementEnd unmade_end(const Run& array, int64_t index) {
  return {index,
          RunPhase::kFailed,
          contracts::element_name(array.metadata.name, index),
          Reason("ARRAY_NAME_TAKEN"),
          "another run has its name",
          {}};
}

bool EndedIndexes::contains(int64_t index) const {
  return succeeded.contains(index) || failed.contains(index) || canceled.contains(index);
}

Result<EndedIndexes> ended_indexes(const Run& array) {
  const ArrayStatus& status = status_of(array);
  EndedIndexes ended;
  ASSIGN_OR_RETURN(ended.succeeded, IndexSet::parse(status.completed_indexes));
  ASSIGN_OR_RETURN(ended.failed, IndexSet::parse(status.failed_indexes));
  ASSIGN_OR_RETURN(ended.canceled, IndexSet::parse(status.canceled_indexes));
  return ended;
}

Status count_ends(Run& array, const std::vector<ElementEnd>& ends) {
  ASSIGN_OR_RETURN(EndedIndexes ended, ended_indexes(array));
  for (const ElementEnd& end : ends) {
    if (end.index < 0 || end.index >= contracts::element_count(array.spec) ||
        ended.contains(end.index))
      continue;
    set_for(ended, end.phase).insert(end.index);
    auto& first = array.status.array->first_failure;
    if (end.phase == RunPhase::kFailed && !first)
      first = contracts::FirstFailure{end.index, end.run, end.reason, end.message, end.rc};
  }
  write(ended, array);
  return {};
}

Status note_made(Run& array, int64_t created) {
  array.status.array->created = created;
  return count_ends(array, {});
}

ArrayStop stop_of(const Run& array) {
  const ArrayStatus& status = status_of(array);
  if (array.status.eviction) return ArrayStop::kDeadline;
  if (array.spec.cancel_requested) return ArrayStop::kCanceled;
  if (contracts::is_gang(array.spec))
    return status.failed + status.canceled > 0 ? ArrayStop::kMemberEnded : ArrayStop::kNone;
  const auto& most = array.spec.array->max_failed_indexes;
  return most && status.failed > *most ? ArrayStop::kTooManyFailed : ArrayStop::kNone;
}

int64_t elements_to_make(const Run& array, int64_t room) {
  if (stop_of(array) != ArrayStop::kNone || contracts::is_terminal(array.status.phase)) return 0;
  const ArrayStatus& status = status_of(array);
  const int64_t most = array.spec.array
                           ? array.spec.array->max_parallel.value_or(contracts::kMostParallel)
                           : contracts::kMostMembers;
  const int64_t left = contracts::element_count(array.spec) - status.created;
  return std::max<int64_t>(0, std::min({most - status.active, left, room}));
}

std::optional<ArrayEnd> array_end(const Run& array) {
  const ArrayStatus& status = status_of(array);
  const ArrayStop stop = stop_of(array);
  const int64_t count = contracts::element_count(array.spec);
  if (status.active > 0 || (stop == ArrayStop::kNone && status.created < count))
    return std::nullopt;
  const std::string text = counts_text(array);
  if (status.succeeded == count) return ArrayEnd{RunPhase::kSucceeded, "", text};
  if (stop == ArrayStop::kDeadline)
    return ArrayEnd{RunPhase::kFailed, array.status.eviction->reason,
                    cat(array.status.eviction->message, "; ", text)};
  if (stop == ArrayStop::kTooManyFailed)
    return ArrayEnd{RunPhase::kFailed, kMaxFailedIndexes, text};
  const bool canceled = stop == ArrayStop::kCanceled && status.succeeded + status.failed < count;
  const Reason failed = contracts::is_gang(array.spec) ? kGangFailed : kFailedIndexes;
  if (!canceled && status.failed > 0) return ArrayEnd{RunPhase::kFailed, failed, text};
  return ArrayEnd{RunPhase::kCanceled, kCancelRequested, text};
}

Status give_up_unmade(Run& array) {
  ASSIGN_OR_RETURN(EndedIndexes ended, ended_indexes(array));
  ended.canceled.insert_range(status_of(array).created, contracts::element_count(array.spec) - 1);
  write(ended, array);
  array.status.array->pending = 0;
  array.status.array->active = 0;
  return {};
}

Run make_element(const Run& array, int64_t index, WallTime now) {
  Run run;
  run.metadata.name = contracts::element_name(array.metadata.name, index);
  run.metadata.name_space = array.metadata.name_space;
  run.metadata.uid = element_uid(array.metadata.uid, index, now);
  run.metadata.labels = array.metadata.labels;
  run.metadata.labels[contracts::kArrayLabel] = array.metadata.name;
  run.metadata.labels[contracts::kArrayIndexLabel] = std::to_string(index);
  run.spec = array.spec;
  run.spec.array.reset();
  run.spec.nodes.reset();
  run.status.workspace_root = array.status.workspace_root;
  run.status.volumes = array.status.volumes;
  run.status.policy = array.status.policy;
  run.status.environment = array.status.environment;
  name_element(array, index, run.status.environment);
  run.status.created_by = array.status.created_by;
  run.status.grants = array.status.grants;
  run.status.deadline_at = array.status.deadline_at;
  run.status.preview_url = array.status.preview_url;
  run.status.element =
      contracts::ArrayElement{array.metadata.name, array.metadata.uid, index, array.spec.nodes};
  return run;
}

bool is_element_of(const Run& run, const Run& array) {
  return run.status.element && run.status.element->uid == array.metadata.uid;
}

}  // namespace paddock::runs
