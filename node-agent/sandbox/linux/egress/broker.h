// The network broker of one run: the only way out of its sandbox. Serves the sockets that the
// sandbox's init process made in the sandbox's own network namespace, and connects from its own.
// One thread; owns everything it is given.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "node-agent/sandbox/egress/rules.h"
#include "node-agent/sandbox/linux/egress/connection.h"
#include "node-agent/sandbox/linux/egress/dns_service.h"

namespace paddock::sandbox {

// Sockets in the sandbox's network namespace.
struct BrokerSockets {
  os::Fd dns_udp;
  os::Fd dns_tcp;
  std::vector<os::Fd> listeners;  // one per port
};

class Broker {
 public:
  static constexpr size_t kMostConnections = 512;
  // The most calls through the gateway at a time, since the controller's places are for all runs.
  static constexpr size_t kMostCalls = 16;

  Broker(EventLoop& loop, BrokerRules rules, BrokerSockets sockets, const Clock& clock,
         Random& random);
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  // One wait for whatever happens next, and all that follows from it.
  void step();
  // The report of what happened; serving ends with it.
  BrokerReport report();

 private:
  void accept_from(int listener);
  void admit(os::Fd client);
  void admit_call(os::Fd client);
  void refuse_crowd(os::Fd client, const std::string& target, size_t most);
  std::shared_ptr<Connection> connect(os::Fd client, const std::string& name, uint16_t port);

  EventLoop& loop_;
  const Clock& clock_;
  BrokerRules rules_;
  std::vector<os::Fd> listeners_;
  std::vector<EventLoop::Token> tokens_;
  Records records_;
  NameTable names_;
  DnsResponder responder_;
  Resolver resolver_;
  DnsService dns_;
  std::vector<std::shared_ptr<Connection>> connections_;
  std::vector<std::weak_ptr<Connection>> calls_;  // of them, by the gateway
};

}  // namespace paddock::sandbox
