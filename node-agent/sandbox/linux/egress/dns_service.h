// The sandbox's name server on its two sockets, UDP and TCP. Not thread-safe.
#pragma once

#include <list>
#include <string>

#include "common/base/time.h"
#include "node-agent/sandbox/egress/dns_desk.h"
#include "node-agent/sandbox/linux/egress/event_loop.h"

namespace paddock::sandbox {

class DnsService {
 public:
  static constexpr size_t kMostStreams = 32;
  static constexpr Millis kStreamTime{10'000};

  DnsService(EventLoop& loop, DnsDesk& desk, const Clock& clock, os::Fd udp, os::Fd tcp);
  ~DnsService();
  DnsService(const DnsService&) = delete;
  DnsService& operator=(const DnsService&) = delete;
  // Closes the streams that are done or too old. To be called after each step of the loop.
  void sweep();
  bool busy() const { return !streams_.empty(); }

 private:
  struct Stream {
    os::Fd fd;
    EventLoop::Token token = 0;
    MonoTime deadline;
    std::string incoming;
    bool done = false;
  };
  void answer_datagrams();
  void accept_streams();
  void read_stream(Stream& stream);

  EventLoop& loop_;
  DnsDesk& desk_;
  const Clock& clock_;
  os::Fd udp_;
  os::Fd tcp_;
  EventLoop::Token udp_token_ = 0;
  EventLoop::Token tcp_token_ = 0;
  std::list<Stream> streams_;
};

}  // namespace paddock::sandbox
