// The way of every request: route, authenticate, authorize, read the body within its limit, decode,
// handle; then the answer (conclusion.h).
#pragma once

#include "controller/api/server/http.h"
#include "controller/api/server/router.h"
#include "controller/api/server/services.h"

namespace paddock::api {

// `router` and `services` must outlive the handler.
Handler make_handler(const Router& router, Services& services);

}  // namespace paddock::api
