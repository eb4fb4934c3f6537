// In which fields of spec two states of an object differ: for kinds whose spec may not change, or
// whose generation counts its changes. Which fields may change is decided by the kind itself, in
// the check_update() of its KindTraits (of runs: handlers/runs/run_kind.cc).
#pragma once

#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/wire/describe.h"

namespace paddock::api {

// A cause with this message for every field in which two specs differ.
std::vector<Cause> spec_differences(wire::Value live_spec, wire::Value next_spec,
                                    std::string_view message);
template <class T>
std::vector<Cause> spec_differences(const T& live, const T& next, std::string_view message) {
  return spec_differences(wire::encode(live.spec), wire::encode(next.spec), message);
}
template <class T>
bool spec_differs(const T& live, const T& next) {
  return !spec_differences(live, next, "").empty();
}

// FailedPrecondition (FIELD_IMMUTABLE), unless there are no causes.
Status immutable(std::vector<Cause> causes);

}  // namespace paddock::api
