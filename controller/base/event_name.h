// The name of an Event: of a change of a run's phase, as Kubernetes clients see it. A run's name
// has no dot, so it can be read back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/text.h"
#include "common/base/timed_uuid.h"

namespace paddock {

inline std::string event_name(std::string_view run, std::string_view uid, int64_t event_id) {
  return cat(run, ".", uuid_mark(uid), ".", event_id);
}

// The run that such a name is about.
inline std::string_view run_of_event(std::string_view name) {
  return name.substr(0, name.find('.'));
}

}  // namespace paddock
