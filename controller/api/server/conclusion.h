// Turns the result of a call into the answer to its request, with one line of the access log and
// the counters. Errors become Status objects.
#pragma once

#include <memory>
#include <string>

#include "common/base/time.h"
#include "controller/api/server/http.h"
#include "controller/api/server/open_requests.h"
#include "controller/api/server/route.h"
#include "controller/api/server/services.h"
#include "controller/auth/principal.h"
#include "controller/auth/token.h"
#include "controller/base/stopwatch.h"

namespace paddock::api {

// What the access log knows once a request is done.
struct Trace {
  std::string id;
  auth::Principal principal = auth::anonymous();
  std::string reason;  // of a refusal
  std::string sent;    // the name of the object in the body
  const Route* route = nullptr;
  bool begun = false;  // its handler may have done some of it
  std::shared_ptr<OpenRequests::Permit> place;
};

// What is needed to count the answer to a request and to log it.
struct Passage {
  Services& services;
  MonoTime started;
  Stopwatch stopwatch = {};
  Trace trace = {};
};

// The answer, and what is held until it has been sent. About an internal error, the client is told
// only the id of its request.
Response conclude(Passage& passage, const Request& request, Result<Response> result);

}  // namespace paddock::api
