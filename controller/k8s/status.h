// Adds to an error the facts that a Kubernetes client reads beside its message: which object it is
// about. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/wire/value.h"

namespace paddock::k8s {

// Adds `details.name`, `.group`, `.kind` to a Status by the request's path, and a reason to each of
// its causes. A path that names no object, of a create, means the one that was `sent`. For an
// Invalid object kubectl wants its kind (Run), else its resource (runs).
void add_details(wire::Value& status, const std::vector<std::string>& segments,
                 const std::string& sent = {});

}  // namespace paddock::k8s
