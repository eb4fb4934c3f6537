// Counts, from the objects that the API shows, who uses what and who waits. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/node.h"
#include "common/contracts/run.h"

namespace paddock::cli {

// The sum of what placed runs asked for; a run that states nothing asks for nothing.
struct Asked {
  int64_t runs = 0;
  int64_t cpu = 0;
  int64_t memory = 0;
  int64_t disk = 0;
  int64_t devices = 0;
};
struct NodeUsage {
  contracts::Capacity capacity;
  std::optional<wire::Quantity> allocatable_disk;
  int64_t devices = 0;
  std::string status;  // as lists of nodes say it: Ready,DiskFull
  Asked asked;
};
struct NamespaceUsage {
  int64_t waiting = 0;
  Asked asked;
};
struct Usage {
  std::map<std::string, NodeUsage> nodes;
  std::map<std::string, NamespaceUsage> namespaces;
};

Usage usage_of(const std::vector<contracts::Node>& nodes, const std::vector<contracts::Run>& runs);

}  // namespace paddock::cli
