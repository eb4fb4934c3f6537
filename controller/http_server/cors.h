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

// As browsers send it, so that it is compared as it is: lower case, no path, no default port.
// https://, or http:// of a loopback address: another page could be changed on its way here, and
// would bring its reader's token along.
bool is_origin(std::string_view text);

// The request's origin, if it is one of these; empty otherwise.
std::string allowed_origin(const RequestHead& head, const std::vector<std::string>& allowed);

// The answer to a preflight request (OPTIONS with Access-Control-Request-Method); nothing if the
// request is not one.
std::optional<Response> preflight(const RequestHead& head, const std::string& origin);

// Lets pages of that origin read the answer; an empty one changes nothing.
void open_to(const std::string& origin, Response& response);

}  // namespace paddock::http_server
