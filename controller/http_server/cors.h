// CORS: the headers that let pages of another origin call this server and read its answers, for the
// origins that the operator named and for no other. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/http_server/http_message.h"
#include "controller/http_server/request_head.h"

namespace paddock::http_server {

// Whether this is an origin as browsers send it, so that origins can be compared as text: lower
// case, no path, no default port. It must be https://, or http:// of a loopback address: a page
// from elsewhere over http could be changed on its way, and would then use its reader's token.
bool is_origin(std::string_view text);

// The request's origin, if it is one of these; empty otherwise.
std::string allowed_origin(const RequestHead& head, const std::vector<std::string>& allowed);

// The answer to a preflight request (OPTIONS with Access-Control-Request-Method); nothing if the
// request is not one.
std::optional<Response> preflight(const RequestHead& head, const std::string& origin);

// Lets pages of that origin read the answer; an empty one changes nothing.
void open_to(const std::string& origin, Response& response);

}  // namespace paddock::http_server
