// An answer that goes to somebody in this process, on the calling thread, which waits where the
// server would hold none: one that a handler asked for itself, or a test's.
#pragma once

#include "controller/api/server/http.h"

namespace paddock::api {

// Writes all of a stream. Nothing, of an answer that is none.
void stream_here(const Response& response, ResponseStream& out);
// The answer, also where it comes later; `client` waits for it.
Response answer_here(Response response, const DisconnectToken& client);

}  // namespace paddock::api
