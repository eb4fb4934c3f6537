// Finds out what this host has. Everything is read below a given root, so that recorded trees can
// be tested.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/host_limits.h"
#include "common/contracts/node.h"
#include "node-agent/devices/accelerator.h"

namespace paddock::devices {

struct Host {
  contracts::Capacity capacity;  // max_runs is the operator's and stays as it is
  std::vector<std::string> cpu_features;
  std::vector<Accelerator> accelerators;
  std::vector<AcceleratorLoad> loads;  // of those whose driver says it
  std::string os;
  std::string arch;  // amd64, arm64, or what uname says
};

// The free room on the disk of a folder, for a user who is not root.
struct DiskRoom {
  int64_t bytes = 0;
  std::optional<int64_t> files = {};  // absent: this file system makes them as it needs them
  // The size of the whole disk; 0: not known.
  int64_t all_bytes = 0;
  int64_t all_files = 0;
};
// Absent: it cannot be told.
std::optional<DiskRoom> disk_room(const std::string& folder);

// How much there is of what limits bound, free or not. Arguments as probe().
contracts::HostSize host_size(const std::string& root, const std::string& data_dir);

// `root` is "/" in production; `data_dir` is where workspaces will be (always a real path).
// What cannot be read counts as not there.
Host probe(const std::string& root, const std::string& data_dir);

}  // namespace paddock::devices
