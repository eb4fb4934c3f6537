// The sandbox's name server on its two sockets, UDP and TCP. What waits for the node's servers is
// bounded: a datagram beyond that is dropped, as networks do, and a stream closed. Not thread-safe.
#pragma once

#include <sys/socket.h>

#include <list>
#include <memory>
#include <string>

#include "common/base/time.h"
#include "node-agent/sandbox/egress/dns_responder.h"
#include "node-agent/sandbox/linux/egress/resolver.h"

namespace paddock::sandbox {

class DnsService {
 public:
  static constexpr size_t kMostStreams = 32;
  static constexpr Millis kStreamTime{10'000};  // without a question that waits
  static constexpr size_t kMostWaiting = 256;

  struct Tools {
    EventLoop& loop;
    DnsResponder& responder;
    Resolver& resolver;
    const Clock& clock;
  };
  // Ends before the resolver does.
  DnsService(const Tools& tools, os::Fd udp, os::Fd tcp);
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
    size_t waiting = 0;  // questions
    bool ended = false;  // nothing more is asked
    bool done = false;
  };
  struct Asker {
    sockaddr_storage from{};
    socklen_t size = 0;
  };
  void answer_datagrams();
  void accept_streams();
  void take_datagram(std::string_view message, const Asker& asker);
  void send_datagram(const std::string& reply, const Asker& asker);
  void read_stream(const std::shared_ptr<Stream>& stream);
  void take_message(std::string_view message, const std::shared_ptr<Stream>& stream);
  static void send_message(const std::string& reply, Stream& stream);
  bool is_over(const Stream& stream) const;

  Tools tools_;
  os::Fd udp_;
  os::Fd tcp_;
  EventLoop::Token udp_token_ = 0;
  EventLoop::Token tcp_token_ = 0;
  size_t waiting_ = 0;
  std::list<std::shared_ptr<Stream>> streams_;
};

}  // namespace paddock::sandbox
