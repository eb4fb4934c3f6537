// A listening socket: TCP or a unix socket file, ready to accept without blocking.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "common/os/fd.h"
#include "controller/http_server/origin.h"
#include "controller/http_server/tls.h"

namespace paddock::http_server {

class Listener {
 public:
  // PORT_IN_USE, ADDRESS_INVALID, ADDRESS_UNAVAILABLE, PLAIN_HTTP_NOT_LOOPBACK, the reasons of
  // TlsContext; for a unix socket UNIX_SOCKET_PATH_INVALID, UNIX_SOCKET_IN_USE. A socket file that
  // nobody listens on is replaced; any other file is left alone.
  static Result<std::unique_ptr<Listener>> open(const ListenAddress& address);
  // A TCP address, taken as open() would and without TLS to serve: for a caller that asks whether
  // it is free. Of `tls` only whether it is there matters.
  static Result<std::unique_ptr<Listener>> take_address(const ListenAddress& address);
  ~Listener();  // removes the socket file if it is still this one

  int fd() const { return fd_.get(); }
  int port() const { return port_; }
  bool is_unix() const { return !path_.empty(); }
  // Accepts one waiting connection (close-on-exec, non-blocking, TCP_NODELAY, ended a minute after
  // its peer fell silent), or returns an invalid Fd with errno set.
  os::Fd accept() const;
  // The names by which a client of this connection may call this server.
  OwnNames names_for(int connection, const std::vector<std::string>& allowed_hosts) const;
  Result<std::unique_ptr<Transport>> transport_for(os::Fd connection, const StopSignal& stop,
                                                   int write_timeout_ms) const;

 private:
  Listener() = default;
  Status open_tcp(const ListenAddress& address);
  Status open_unix(const std::string& path);

  os::Fd fd_;
  int port_ = 0;
  std::string host_;
  std::string path_;  // of the socket file
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::shared_ptr<TlsContext> tls_;
};

}  // namespace paddock::http_server
