// Whether a container's command does nothing but keep it alive: then a session, which needs no
// process to stay, does without it. Pure.
#pragma once

#include "common/wire/value.h"

namespace paddock::agent_sandboxes {

// Looks at `command` and `args` of one container, whose types are right. True if it has neither.
bool only_keeps_alive(const wire::Value& container);

}  // namespace paddock::agent_sandboxes
