// A client that costs next to nothing: prepared bytes go out over one kept connection, an answer's
// status and body come back. Blocking, for one thread. What fails ends the program.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/os/fd.h"

struct ssl_st;
struct ssl_ctx_st;

namespace paddock::bench {

// Where a controller of this host listens, and who asks.
struct Address {
  std::string socket;   // a unix socket; empty: TLS
  int port = 0;         // on loopback
  std::string ca_file;  // that its certificate is to be checked with
  std::string token;    // of the caller
  bool operator==(const Address&) const = default;
};

struct Reply {
  int status = 0;
  std::string body;
};

std::string request_text(const std::string& method, const std::string& target,
                         const std::string& token, const std::string& body = {},
                         const std::string& headers = {});  // whole lines

class Wire {
 public:
  explicit Wire(const Address& address);
  ~Wire();
  Wire(Wire&&) noexcept;
  Wire& operator=(Wire&&) = delete;

  void send(std::string_view bytes);
  Reply receive();
  Reply call(const std::string& method, const std::string& target, const std::string& body = {});

  // For streams: what has come since, headers and chunk sizes included, at most 64 KiB. Empty: it
  // was closed or, once it does not block any more, nothing is there.
  std::string read_some();
  void stop_blocking();
  bool closed() const { return closed_; }
  int fd() const { return fd_.get(); }

 private:
  bool fill();  // more of the answer; false at its end
  void start_tls(const Address& address);

  os::Fd fd_;
  std::string token_;
  std::string buffer_;
  bool closed_ = false;
  std::shared_ptr<ssl_ctx_st> context_;
  ssl_st* tls_ = nullptr;
};

}  // namespace paddock::bench
