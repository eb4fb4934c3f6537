// Errors for people who come with kubectl: what they meant to do, and all that is wrong.
#pragma once

#include "common/base/result.h"
#include "controller/api/server/http.h"

namespace paddock::api {

// The error with a message that tells more; all else of it stays.
// - A way that Kubernetes has and Paddock has not (a namespace is made, a pod is run): what to do
//   instead.
// - For a client of Kubernetes: each of up to ten causes. kubectl prints the message of a 400 and
//   nothing else.
Error in_kubernetes_words(Error error, const Request& request);

}  // namespace paddock::api
