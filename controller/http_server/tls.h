// TLS for accepted connections: our own SSL_CTX, every call checked. TLS 1.2 and 1.3, HTTP/1.1
// only.
#pragma once

#include <memory>

#include "controller/http_server/server.h"
#include "controller/http_server/transport.h"

namespace paddock::http_server {

// Shared by all connections of one listener; outlives them. Thread-safe.
class TlsContext {
 public:
  // TLS_CERTIFICATE_INVALID, TLS_KEY_INVALID, TLS_KEY_MISMATCH.
  static Result<std::shared_ptr<TlsContext>> make(const TlsFiles& files);
  virtual ~TlsContext() = default;
  virtual Result<std::unique_ptr<Transport>> accept(os::Fd fd, const StopSignal& stop,
                                                    int write_timeout_ms) const = 0;
};

}  // namespace paddock::http_server
