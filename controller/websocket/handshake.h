// Turns a request into a WebSocket (RFC 6455, section 4.2). Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::websocket {

// The answer to the handshake.
struct Opening {
  std::string protocol;  // that was chosen of those offered
  std::string accept;    // Sec-WebSocket-Accept
};

// By the headers of a request, whose names are in lower case. `known` are the protocols that may be
// chosen, the best first. HEADER_INVALID, with its name: `upgrade` where no
// WebSocket is asked for, others where it is asked for in a way that has no answer.
Result<Opening> open_by(const std::map<std::string, std::string>& headers,
                        std::span<const std::string_view> known);

}  // namespace paddock::websocket
