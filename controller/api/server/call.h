// One request on its way through the pipeline, as a handler sees it.
#pragma once

#include <map>
#include <string>

#include "common/wire/value.h"
#include "controller/api/server/http.h"
#include "controller/api/server/services.h"
#include "controller/auth/principal.h"

namespace paddock::api {

struct Call {
  Services& services;
  Request& request;
  std::map<std::string, std::string> params;  // from the path: {ns}, {name}, {node}, …
  auth::Principal principal;
  wire::Value body;       // of a route that takes a document
  std::string body_hash;  // SHA-256 of the bytes it was read from
  std::string request_id = {};
  Handler self = {};  // asks this API again, as anybody from outside would

  const std::string& param(const std::string& name) const {
    static const std::string kNone;
    const auto found = params.find(name);
    return found == params.end() ? kNone : found->second;
  }
  // The key of the object in the path; routes of nodes call its name {node}.
  store::Key key() const {
    return {param("ns"), param("name").empty() ? param("node") : param("name")};
  }
  WallTime now() const { return services.clock.wall(); }
};

// Answers with a response or an Error; the pipeline makes a Status of the latter. Must not throw.
using Endpoint = Result<Response> (*)(Call&);

}  // namespace paddock::api
