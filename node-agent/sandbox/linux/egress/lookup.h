// One question to the operator's name servers: over UDP, each server twice, and over TCP when the
// answer is too long. Every try has its own socket (so a new port) and a new random id. Not
// thread-safe.
#pragma once

#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/base/time.h"
#include "node-agent/sandbox/egress/resolved.h"
#include "node-agent/sandbox/linux/egress/event_loop.h"

namespace paddock::sandbox {

class Lookup {
 public:
  static constexpr Millis kPatience{3'000};  // per try
  static constexpr size_t kRounds = 2;       // over all servers

  struct Tools {
    EventLoop& loop;
    const Clock& clock;
    Random& random;
    const std::vector<Endpoint>& servers;
  };

  Lookup(const Tools& tools, std::string name, DnsType type);
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  void expire();  // to be called now and then
  bool finished() const { return finished_; }
  // Only once it has finished.
  const DnsReplies& heard() const { return heard_; }

 private:
  void start_next();
  bool open(int type);
  void close();
  void read_datagrams();
  void start_tcp();
  void exchange_tcp();
  void take(DnsAnswer answer);

  Tools tools_;
  std::string name_;
  DnsType type_;
  size_t tries_ = 0;
  uint16_t id_ = 0;
  os::Fd fd_;
  EventLoop::Token token_ = 0;
  MonoTime deadline_;
  std::string outgoing_;  // TCP: what is still to be sent
  std::string incoming_;
  bool finished_ = false;
  DnsReplies heard_;
};

}  // namespace paddock::sandbox
