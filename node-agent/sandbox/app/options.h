// The command line of paddock-sandbox.
#pragma once

#include <span>
#include <string>

#include "common/base/result.h"
#include "node-agent/sandbox/backend/broker_mode.h"
#include "node-agent/sandbox/backend/serve.h"

namespace paddock::sandbox {

struct Options {
  enum class Mode { kRun, kServe, kProbe, kBroker, kCanary };
  Mode mode = Mode::kRun;
  std::string request;  // path, or empty if request_fd is set
  int request_fd = -1;
  std::string events;  // path, or empty if events_fd is set
  int events_fd = -1;
  std::string lock;
  ServeOptions serve;
  std::span<char* const> canary;  // what follows the mode
  BrokerFds broker;
};

// `arguments` without the program's name.
Result<Options> parse_options(std::span<char* const> arguments);
std::string usage();

}  // namespace paddock::sandbox
