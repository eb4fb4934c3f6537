// How much of their share of storage namespaces use, for /status and /metrics.
#pragma once

#include <string>

#include "common/wire/value.h"
#include "controller/auth/principal.h"
#include "controller/workspaces/stored_bytes.h"

namespace paddock::api {

std::string stored_text(const workspaces::StoredBytes& stored);
// By namespace, of those whose files this caller may read.
wire::Value stored_value(const workspaces::StoredBytes& stored, const auth::Principal& principal);

}  // namespace paddock::api
