// The settings of the agent's host.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "node-agent/devices/accelerator.h"

namespace paddock::agent {

struct HostSettings {
  std::string data_dir;
  std::string sandbox_program;
  int64_t min_free = 0;                        // bytes of the data folder's disk; 0: whatever is
  int64_t max_runs = 0;                        // runs_at_once() says what 0 is
  std::string visible_gpus;                    // as CUDA_VISIBLE_DEVICES; empty: all
  std::vector<devices::Accelerator> declared;  // beside those that are found
  int64_t max_cpu = 0;                         // cores to offer at most; 0: all
  int64_t max_memory = 0;                      // bytes to offer at most; 0: all
};

constexpr int64_t runs_at_once(int64_t max_runs, int64_t processors) {
  return max_runs > 0 ? max_runs : std::max<int64_t>(4, 2 * processors);
}

// The part of an amount that is offered to runs.
constexpr int64_t at_most(int64_t there, int64_t most) {
  return most > 0 ? std::min(there, most) : there;
}

}  // namespace paddock::agent
