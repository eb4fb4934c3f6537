// Error answers: a Kubernetes Status body for every Error, with the HTTP status that fits its
// reason. Pure.
#pragma once

#include "common/base/result.h"
#include "common/wire/value.h"
#include "controller/http_server/http_message.h"

namespace paddock::http_server {

// The HTTP status of an error: by its reason where HTTP has a word of its own for it (408, 414,
// 431, …), else by its code.
int refusal_status(const Error& error);
// With this document as its body.
Response refusal(const Error& error);
wire::Value refusal_document(const Error& error);

}  // namespace paddock::http_server
