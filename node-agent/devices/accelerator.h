// One accelerator of this host, and what a run that is granted it gets: these device nodes, the
// driver's libraries and variables. Found by nvidia.h or apple.h, or declared by the operator for
// hosts whose driver cannot be asked (Jetson, WSL).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/contracts/node.h"
#include "common/contracts/run.h"

namespace paddock::devices {

using contracts::field;

struct Accelerator {
  std::string kind;  // nvidia, apple
  std::string id;    // stable on this host
  std::string model;
  // The device nodes that exist inside; no other does. Below /dev, except for contracts::kAppleGpu.
  std::vector<std::string> nodes;
  std::vector<std::string> libraries;  // folders that the loader would not search by itself
  std::map<std::string, std::string> env;
  // Found, never declared:
  std::string gpu = {};  // UUID of the card that it is, or is a slice of
  std::optional<wire::Quantity> memory = {};
  std::string fault = {};  // why no run gets it; empty while it is well
  contracts::Device device() const { return {kind, id, model, memory, fault}; }
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("kind", &Accelerator::kind, "nvidia or apple", {.required = true}),
        field("id", &Accelerator::id, "stable on this node",
              {.required = true, .min_length = 1, .max_length = 128}),
        field("model", &Accelerator::model, "for people", {.max_length = 128}),
        field("nodes", &Accelerator::nodes, "device nodes, below /dev", {.max_length = 64}),
        field("libraries", &Accelerator::libraries,
              "folders of driver libraries, searched before the system's", {.max_length = 8}),
        field("env", &Accelerator::env,
              "variables; of several accelerators the values are joined by commas",
              {.max_length = 16}));
  }
};

// The current load of one device, if its driver tells.
struct AcceleratorLoad {
  std::string id;
  int64_t busy_percent = 0;  // of the driver's latest moments
  wire::Quantity memory;     // in use
};

// Those that the wish gets, of what is there and not in use; the same ones for the same question.
// `any` is of the kind with most to spare. Unavailable, reason ACCELERATOR_UNAVAILABLE. Pure.
Result<std::vector<Accelerator>> choose(const std::vector<Accelerator>& there,
                                        const std::vector<std::string>& used,
                                        const contracts::Accelerators& wish);

// The device nodes and mounts with which a command can use these devices and no others. Pure.
struct Access {
  std::vector<std::string> nodes;
  std::vector<contracts::LaunchMount> mounts;
  std::map<std::string, std::string> env;
};
Access access_to(const std::vector<Accelerator>& granted);

}  // namespace paddock::devices
