// What a caller may do and who it is, in the words of Kubernetes: `kubectl auth`.
// The answers come from the route table itself, so they cannot differ from what happens.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> review_access(Call& call);  // auth can-i VERB RESOURCE
Result<Response> review_rules(Call& call);   // auth can-i --list
Result<Response> review_self(Call& call);    // auth whoami

}  // namespace paddock::api
