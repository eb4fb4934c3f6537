// Reads from a connection's first bytes which host it wants: the server name of a TLS ClientHello,
// or the Host of an HTTP/1 request. Pure; strict, so that no other program can read these bytes
// differently.
#pragma once

#include <string>
#include <string_view>

namespace paddock::sandbox {

inline constexpr size_t kMostFirstBytes = 16 << 10;

struct FirstBytes {
  enum class State { kNeedMore, kName, kBad };
  State state = State::kNeedMore;
  std::string name;  // kName: as host_name() gives it
  std::string why;   // kBad: for the denial, without bytes of the program
};

FirstBytes read_client_hello(std::string_view bytes);  // client_hello.cc (RFC 8446, 6066)
FirstBytes read_http_host(std::string_view bytes);     // http_host.cc (RFC 9112)

}  // namespace paddock::sandbox
