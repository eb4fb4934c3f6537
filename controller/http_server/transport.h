// Bytes to and from one client, plain or TLS, with deadlines. One thread reads and writes;
// peer_gone() only looks at the descriptor. Every wait also ends when the server stops.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/os/fd.h"
#include "controller/http_server/deadline.h"
#include "controller/http_server/stop_signal.h"

namespace paddock::http_server {

enum class IoState { kOk, kClosed, kTooSlow, kStopping };
// The result of a write that does not wait: all bytes went, or the rest has to wait for the client.
enum class SendState { kAll, kWantsWrite, kWantsRead, kClosed };
inline constexpr size_t kPieceBytes = 64 << 10;  // so much at a time, as far as time limits go
// The sender gets one more second each time that so many bytes have come.
inline constexpr size_t kBytesPerExtraSecond = 16 << 10;

// How a connection begins.
struct Greeting {
  std::string gateway_run;  // whose tool gateway leads here; empty: nobody's
  bool plain_http = false;  // no TLS begins so: a letter, as methods have them
};

class Transport {
 public:
  Transport(os::Fd fd, const StopSignal& stop, int write_timeout_ms)
      : fd_(std::move(fd)), stop_(stop), write_timeout_ms_(write_timeout_ms) {}
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Before anything else, of a TCP connection: a tool gateway's header, if it begins with one.
  // kClosed: what begins like one and is none.
  IoState greet(Deadline deadline, Greeting& greeting);
  // The TLS handshake, after greet().
  IoState handshake(Deadline deadline);
  // Until there is something to read (end of file included).
  IoState wait_readable(Deadline deadline);
  // Up to `size` bytes, at least one. kClosed at the end of file.
  IoState read(char* into, size_t size, Deadline deadline, size_t& got);
  // All of it; each piece of kPieceBytes has write_timeout_ms.
  IoState write_all(std::string_view bytes);
  // Writes as much as goes without waiting; `sent` bytes have gone. The next write must begin with
  // the bytes that are left.
  SendState write_some(std::string_view bytes, size_t& sent);
  // Reads what has arrived, up to `size` bytes, without waiting; 0: nothing yet. False: kClosed.
  bool read_some(char* into, size_t size, size_t& got);
  // Until it is readable or writable, as wanted, or `waker` is readable: kOk. kClosed: the client
  // has closed its side, or is unreachable.
  struct Wants {
    bool read = false;
    bool write = false;
  };
  IoState wait_both(Wants wants, int waker, Deadline deadline) const;
  // True once the client closed its side or is unreachable, also with unread bytes before the end.
  bool peer_gone() const;
  int watched_fd() const { return fd_.get(); }  // what peer_gone() looks at
  bool stopping() const { return stop_.raised(); }
  int write_timeout_ms() const { return write_timeout_ms_; }
  // Ends the connection so that the client can still read what was written: says goodbye, then
  // swallows what it sends for at most `linger_ms` and as long as what comes adds to that, and
  // until it sends nothing for half a minute. While `hurries`, ten seconds in all and one of
  // silence are enough. Many clients send all of a body before they read, and a reset would take
  // the answer from them.
  void finish(int linger_ms, const std::function<bool()>& hurries = {});
  // Before the handshake: the same connection without TLS. This object is done then.
  std::unique_ptr<Transport> without_tls();

 protected:
  enum class Attempt { kDone, kWantsRead, kWantsWrite, kClosed };
  virtual Attempt attempt_handshake() = 0;
  virtual Attempt attempt_read(char* into, size_t size, size_t& got) = 0;
  virtual Attempt attempt_write(std::string_view bytes, size_t& written) = 0;
  virtual void say_goodbye() = 0;
  virtual bool has_buffered() const = 0;
  int fd() const { return fd_.get(); }

 private:
  IoState wait_for(Attempt attempt, Deadline deadline) const;
  IoState wait_while_writing(Attempt attempt, Deadline& deadline);
  IoState write_piece(std::string_view piece);

  os::Fd fd_;
  const StopSignal& stop_;
  int write_timeout_ms_;
};

std::unique_ptr<Transport> make_plain_transport(os::Fd fd, const StopSignal& stop,
                                                int write_timeout_ms);

}  // namespace paddock::http_server
