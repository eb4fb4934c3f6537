// The Kubernetes `Status` object that every error answer carries, with our stable code inside:
// {"kind":"Status","status":"Failure","message","reason","code":404,"error":{"code","message","retryable","details"}}
#pragma once

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::contracts {

int http_status(Code code);
// The body of an error answer. Context is left out: it may hold host paths.
wire::Value status_body(const Error& error);
// Fact of an error that a server answered with 5xx: it failed, and may do it another time.
inline constexpr const char* kServerFailed = "httpStatus";
// The Error inside a body made by status_body, or a generic one for foreign bodies.
Error error_from_body(int http_status, const wire::Value& body);

}  // namespace paddock::contracts
