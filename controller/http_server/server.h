// The HTTP server: own sockets, own header validation, own framing.
// A connection whose client is silent between requests holds no thread, nor does an answer between
// its steps; one that is served has its own. All together have a cap. stop() ends streams and joins
// every thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/http_server/http_message.h"

namespace paddock::http_server {

struct TlsFiles {
  std::string certificate_pem;
  std::string private_key_pem;
};

struct ListenAddress {
  std::string host = "127.0.0.1";
  int port = 0;                 // 0: any free one
  std::optional<TlsFiles> tls;  // absent: plain HTTP, only allowed on loopback
  std::string unix_socket;      // when set, a socket file (mode 0600) instead of host and port
};

struct ServerOptions {
  std::vector<ListenAddress> listen;
  size_t max_connections = 4000;
  size_t max_header_bytes = 32 << 10;
  size_t max_headers = 100;
  size_t max_path_bytes = 1024;
  int header_timeout_ms = 15'000;        // from the first byte of a request to its last header line
  int crowded_header_timeout_ms = 3000;  // the same, while over three quarters of them are taken
  int body_timeout_ms = 120'000;        // for a whole body, and one second more per 16 KiB received
  int idle_timeout_ms = 60'000;         // a connection without a request
  int crowded_idle_timeout_ms = 2'000;  // the same, while over three quarters of them are taken
  int write_timeout_ms = 30'000;        // for each 64 KiB: a client that does not read
  // Host headers accepted besides loopback names and the listen addresses (DNS rebinding).
  std::vector<std::string> allowed_hosts;
  // Pages of these origins may ask, and read the answers: https://app.example, as browsers send it.
  std::vector<std::string> allowed_origins;
  // Paths that a TLS listener also answers by plain HTTP, to GET: health, which reveals nothing.
  // Every other request without TLS is told that TLS is needed (TLS_REQUIRED).
  std::vector<std::string> plain_paths;
  // The clock for the Date header, for clients that compare clocks; any thread. Empty: no Date.
  std::function<WallTime()> wall;
};

class Server {
 public:
  virtual ~Server() = default;
  // Binds and starts accepting. FailedPrecondition, PORT_IN_USE (or UNIX_SOCKET_IN_USE), when an
  // address is taken (no SO_REUSEPORT). InvalidArgument: PLAIN_HTTP_NOT_LOOPBACK, ADDRESS_INVALID,
  // TLS_CERTIFICATE_INVALID, TLS_KEY_INVALID, TLS_KEY_MISMATCH, UNIX_SOCKET_PATH_INVALID.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Handler handler);
  // The port bound for listen[i] (0 for a unix socket).
  virtual int port(size_t i) const = 0;
  virtual size_t connections() const = 0;
  // The number of these that wait without a thread.
  virtual size_t parked() const = 0;
  // Ends streams and idle connections, lets answers in flight go out (half a second), joins all.
  virtual void stop() = 0;
};

}  // namespace paddock::http_server
