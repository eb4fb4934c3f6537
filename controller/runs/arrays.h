// Arrays, and gangs as far as these are the same, as values: what their elements' ends mean for
// them, what is to be made next, and how they end. What is written into a phase is in
// array_transitions.h. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/contracts/run.h"
#include "controller/runs/index_set.h"

namespace paddock::runs {

inline constexpr Reason kFailedIndexes = "FAILED_INDEXES";
inline constexpr Reason kMaxFailedIndexes = "MAX_FAILED_INDEXES";
inline constexpr Reason kGangFailed = "GANG_FAILED";

// How an element ended.
struct ElementEnd {
  int64_t index = 0;
  contracts::RunPhase phase = contracts::RunPhase::kCanceled;
  std::string run;
  std::string reason;
  std::string message;
  std::optional<int64_t> rc;
};
// The end of an element that has ended.
ElementEnd end_of(const contracts::Run& element);
// The end of an element that was deleted while it lived, so that its record is gone and its end was
// not counted.
ElementEnd deleted_end(const contracts::Run& array, int64_t index);
// The end of an element that cannot be made, because another run has its name.
ElementEnd unmade_end(const contracts::Run& array, int64_t index);

// The indexes of an array whose elements have ended.
struct EndedIndexes {
  IndexSet succeeded;
  IndexSet failed;
  IndexSet canceled;
  bool contains(int64_t index) const;
};
// Internal (STORE_DATA_INVALID).
Result<EndedIndexes> ended_indexes(const contracts::Run& array);
// Counts them in the array's status, each index once, however often it is told.
Status count_ends(contracts::Run& array, const std::vector<ElementEnd>& ends);

// Elements for all indexes below this one are made now.
Status note_made(contracts::Run& array, int64_t created);

// Why an array makes no more elements. kMemberEnded: of a gang, one of its members did not succeed.
enum class ArrayStop { kNone, kCanceled, kDeadline, kTooManyFailed, kMemberEnded };
ArrayStop stop_of(const contracts::Run& array);

// The number of elements to be made now, beginning at status.array.created. `room`: how many more
// the queue of its namespace takes.
int64_t elements_to_make(const contracts::Run& array, int64_t room);

// The end of an array; nothing while one of its elements lives, or is still to be made.
struct ArrayEnd {
  contracts::RunPhase phase = contracts::RunPhase::kSucceeded;
  std::string reason;
  std::string message;
};
std::optional<ArrayEnd> array_end(const contracts::Run& array);
// Counts the elements that were never made as canceled.
Status give_up_unmade(contracts::Run& array);

// The element of an index as it is created, still to be admitted (runs::admit). It has what was
// pinned when the array was created.
contracts::Run make_element(const contracts::Run& array, int64_t index, WallTime now);
bool is_element_of(const contracts::Run& run, const contracts::Run& array);

}  // namespace paddock::runs
