// A run's changes of phase as core/v1 Events, which `kubectl describe` and `kubectl events` print.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/time.h"
#include "common/contracts/events.h"
#include "common/wire/value.h"
#include "controller/k8s/selectors.h"

namespace paddock::k8s {

struct EventSubject {
  std::string name_space;
  std::string name;
  std::string uid;
};
wire::Value core_event(const EventSubject& run, const contracts::RunEvent& phase,
                       int64_t resource_version);
// The fields of an Event that field selectors may name.
Labels event_fields(const wire::Value& event);
wire::Value event_columns();
wire::Value event_cells(const wire::Value& event, WallTime now);

}  // namespace paddock::k8s
