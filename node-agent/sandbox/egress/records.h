// Records what went through the broker and what it refused, bounded whatever the program does. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node-agent/sandbox/egress/addresses.h"
#include "node-agent/sandbox/egress/messages.h"
#include "node-agent/sandbox/egress/problem.h"
#include "node-agent/sandbox/result/denials.h"

namespace paddock::sandbox {

class Records {
 public:
  static constexpr size_t kMostFlows = 256;

  void refused_lookup(const std::string& name);
  void refused_connection(const std::string& target, std::string rule, std::string remedy);
  // The flow of this name, port and address (`address` may be empty: none was reached). Beyond the
  // bound all share one.
  size_t flow(const std::string& name, uint16_t port, const std::string& address);
  void connected(size_t flow) { ++flows_[flow].connections; }
  // Allowed, and yet it did not come about: `problem` says what was in the way.
  void failed(size_t flow, Problem problem);
  void moved(size_t flow, int64_t sent, int64_t received);
  BrokerReport take();

 private:
  DenialList denials_;
  std::vector<contracts::NetworkFlow> flows_;
};

}  // namespace paddock::sandbox
