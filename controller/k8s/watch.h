// The lines that a watch writes: one JSON document each. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/error.h"
#include "common/wire/value.h"

namespace paddock::k8s {

enum class WatchEvent { kNone, kAdded, kModified, kDeleted };

// The event that a change is to a watch, by whether its selectors matched the object before and
// match it now.
constexpr WatchEvent watch_event(bool matched_before, bool matches_after) {
  if (matched_before) return matches_after ? WatchEvent::kModified : WatchEvent::kDeleted;
  return matches_after ? WatchEvent::kAdded : WatchEvent::kNone;
}

// `object_text` is JSON.
std::string watch_line(WatchEvent event, std::string_view object_text);
// Tells the client that it has all changes up to this version. `initial_end`: and that the objects
// that existed at the start have all been sent.
std::string bookmark_line(std::string_view api_version, std::string_view kind,
                          int64_t resource_version, bool initial_end);
std::string error_line(const Error& error);

}  // namespace paddock::k8s
