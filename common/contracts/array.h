// Array runs: a sweep as one Run. Its elements are ordinary runs that the controller makes, one for
// each index from 0 to count - 1. The words are those of Kubernetes' indexed Jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/wire/describe.h"

namespace paddock::contracts {

inline constexpr int64_t kMostElements = 10'000;
// How many elements of one array may exist and not have ended.
inline constexpr int64_t kMostParallel = 1'000;

// Labels of an element; nobody else may write them.
inline constexpr const char* kArrayLabel = "paddock.dev/array";
inline constexpr const char* kArrayIndexLabel = "paddock.dev/array-index";
// Variables of an element's command.
inline constexpr const char* kArrayIndexVariable = "PADDOCK_ARRAY_INDEX";
inline constexpr const char* kArrayCountVariable = "PADDOCK_ARRAY_COUNT";

struct ArraySpec {
  int64_t count = 1;
  std::optional<int64_t> max_parallel;
  std::optional<int64_t> max_failed_indexes;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("count", &ArraySpec::count, "how many elements: indexes 0 to count - 1",
                       {.required = true, .min = 1, .max = kMostElements}),
                 field("maxParallel", &ArraySpec::max_parallel,
                       "how many elements are there at once that have not ended; 1000 unless given",
                       {.min = 1, .max = kMostParallel}),
                 field("maxFailedIndexes", &ArraySpec::max_failed_indexes,
                       "more failed elements than these end the array early; never unless given",
                       {.min = 0, .max = kMostElements}));
  }
};

// The element that failed first; its own record may be gone.
struct FirstFailure {
  int64_t index = 0;
  std::string run;
  std::string reason;
  std::string message;
  std::optional<int64_t> rc;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("index", &FirstFailure::index, "the element's index", {.min = 0}),
                 field("run", &FirstFailure::run, "the element's name"),
                 field("reason", &FirstFailure::reason, "a stable word", {.omit_empty = true}),
                 field("message", &FirstFailure::message, "a sentence", {.omit_empty = true}),
                 field("rc", &FirstFailure::rc, "exit code of its command, if it had one"));
  }
};

// Each index is in exactly one of the five counts.
struct ArrayStatus {
  int64_t pending = 0;
  int64_t active = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  int64_t canceled = 0;
  int64_t created = 0;
  std::string completed_indexes;
  std::string failed_indexes;
  std::string canceled_indexes;
  std::optional<FirstFailure> first_failure;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("pending", &ArrayStatus::pending, "elements that are not made yet", {.min = 0}),
        field("active", &ArrayStatus::active, "elements that exist and have not ended", {.min = 0}),
        field("succeeded", &ArrayStatus::succeeded, "elements that have succeeded", {.min = 0}),
        field("failed", &ArrayStatus::failed, "elements that have failed", {.min = 0}),
        field("canceled", &ArrayStatus::canceled, "elements that were canceled, or never made",
              {.min = 0}),
        field("created", &ArrayStatus::created,
              "elements were made for the indexes below this one; a deletion counts it down",
              {.min = 0}),
        field("completedIndexes", &ArrayStatus::completed_indexes,
              "elements that have succeeded, as ranges of indexes: 0-9,12", {.omit_empty = true}),
        field("failedIndexes", &ArrayStatus::failed_indexes,
              "elements that have failed, as ranges of indexes", {.omit_empty = true}),
        field("canceledIndexes", &ArrayStatus::canceled_indexes,
              "elements that were canceled, as ranges of indexes", {.omit_empty = true}),
        field("firstFailure", &ArrayStatus::first_failure, "the element that failed first"));
  }
};

// Which array a run is an element of, or which gang it is a member of. `uid` is the array's,
// because another array may get its name later.
struct ArrayElement {
  std::string array;
  std::string uid;
  int64_t index = 0;
  std::optional<int64_t> members;  // of a gang alone
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("array", &ArrayElement::array, "name of the array"),
        field("uid", &ArrayElement::uid, "the array's uid"),
        field("index", &ArrayElement::index, "the element's index, from 0 on", {.min = 0}),
        field("members", &ArrayElement::members,
              "how many members of its gang are placed together; absent if it is no gang's",
              {.min = 1}));
  }
};

// `sweep-3`
std::string element_name(std::string_view array, int64_t index);
// What a name would be an element's of: `sweep` and 3 of `sweep-3`. None of `sweep-03`.
struct ElementName {
  std::string array;
  int64_t index = 0;
};
std::optional<ElementName> parse_element_name(std::string_view name);

}  // namespace paddock::contracts
