// What a standby says to a request that it cannot serve. Pure.
#pragma once

#include <string>

#include "controller/http_server/http_message.h"

namespace paddock::standby {

// 200 to /livez and /healthz; otherwise NOT_LEADER, with the leader's URL if that is known.
http_server::Response standby_answer(const http_server::Request& request,
                                     const std::string& leader_url);

}  // namespace paddock::standby
