// POST /build: the design's own request, which becomes a Run of the namespace `default`.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> create_build(Call& call);

}  // namespace paddock::api
