// The launches of this module: interpreters in sandboxes that wait for their input. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/execute.h"
#include "common/contracts/launch.h"
#include "node-agent/snippets/settings.h"

namespace paddock::snippets {

// The interpreter's own description, from inside the sandbox.
struct Interpreter {
  std::vector<std::string> path;
  std::vector<std::string> libraries;
  std::vector<std::string> missing;
  std::vector<std::string> worker;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("path", &Interpreter::path, "where modules are looked for"),
        field("libraries", &Interpreter::libraries, "to be had"),
        field("missing", &Interpreter::missing, "not to be had"),
        field("worker", &Interpreter::worker,
              "what those that wait execute, and its first arguments", {.required = true}));
  }
};

// The most that a request may ask for and still be served by an interpreter that waits.
struct Needs {
  int64_t timeout_ms = 0;
  int64_t memory_mb = 0;
};
bool fits_warm(const Needs& needs, const contracts::SandboxLimits& limits);

// The profile's limits, with the request's memory, and a fence that scales with a longer time.
contracts::SandboxPolicy policy_for(const Needs& needs, const contracts::SandboxPolicy& profile);

contracts::LaunchRequest look_request(const Setting& setting);
contracts::LaunchRequest validator_request(const Setting& setting);
// `modules`: loaded before the input is read.
contracts::LaunchRequest worker_request(const Setting& setting, const Interpreter& interpreter,
                                        const std::vector<std::string>& modules,
                                        const contracts::SandboxPolicy& policy);

// The text that the worker reads.
std::string worker_input(const contracts::SnippetOrder& order);

}  // namespace paddock::snippets
