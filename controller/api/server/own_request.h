// A request that a handler makes of this API itself, as its caller: it passes everything that one
// from outside passes. Handlers that offer the same objects by another protocol are built on these,
// and adds no way around anything.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controller/api/server/call.h"

namespace paddock::api {

struct OwnRequest {
  std::string method;
  std::vector<std::string> segments;  // of the path, decoded
  std::vector<std::pair<std::string, std::string>> query = {};
  std::string body = {};
  std::map<std::string, std::string> headers = {};
};

// Sends our own API a request with the credential of `call`'s caller, who may hang up. The answer
// may be a refusal, or a stream that nobody has written yet.
Response ask_itself(const Call& call, OwnRequest wanted);
// The refusal in an answer, or none. A stream is not read.
Status refusal_in(const Response& answer);

}  // namespace paddock::api
