// What must hold of several runs together: of those on a node, in a namespace, in a gang. Each
// check says the first violation, or nothing.
#pragma once

#include <string>

#include "tests/simulation/world.h"

namespace paddock::simulation {

bool ended(const contracts::Run& run);
// A node is promised no more than it has.
std::string check_load(const AgentHost& host, store::ReadTxn& txn);
// The namespace "limited" is within its quota, and runs that wait say why.
std::string check_quota(store::ReadTxn& txn);
// A gang is placed whole or not at all, on hosts that differ, and ends as its members did.
std::string check_gang(store::ReadTxn& txn, const contracts::Run& gang);

// What placed runs hold together.
struct Held {
  int64_t runs = 0;
  int64_t cpu = 0;
  int64_t memory = 0;
  int64_t disk = 0;
  int64_t devices = 0;  // each of any kind
  void add(const contracts::Run& run);
  std::string beyond(const contracts::ComputeQuota& quota) const;
};

}  // namespace paddock::simulation
