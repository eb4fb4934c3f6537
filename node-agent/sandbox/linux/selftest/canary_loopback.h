// The attempts that a sandbox makes with a loopback device of its own. Inside only; see
// canary_attempts.h.
#pragma once

#include <cstdint>
#include <string>

namespace paddock::sandbox {

std::string connect_to_port(uint16_t port);  // of 127.0.0.1
// A listener and its client, both of this process.
std::string meet_on_loopback();
// Gives the device an address by the interface that may be asked about it.
std::string change_addresses();

}  // namespace paddock::sandbox
