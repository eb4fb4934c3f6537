// The amounts that a run counts as in the quotas of its namespace while it is placed: one core at
// the least, and the memory and disk that its sandbox would let it use, whatever it says that it
// needs. A sandbox session counts while it lives, with the amounts that one command of it may use.
#pragma once

#include <cstdint>
#include <optional>

#include "common/contracts/sandbox.h"
#include "controller/scheduler/demand.h"

namespace paddock::scheduler {

// A sandbox that may use more memory than this, or has no limit at all, counts as this much.
inline constexpr int64_t kMostMemory = int64_t{16} << 40;
// Disk likewise.
inline constexpr int64_t kMostDisk = int64_t{16} << 40;

struct Charge {
  int64_t cpu = 1;
  int64_t memory = 0;
  int64_t disk = 0;
  std::optional<contracts::Accelerators> accelerators;
  int64_t runs = 1;
};
Charge charge_of(const Demand& demand);
// The charge of everything that would be placed at once: for a gang, of all its members.
Charge whole_charge_of(const Demand& demand);
Charge charge_of(const contracts::Sandbox& session);

// The sum of the charges of all placed runs and all sessions of a namespace.
struct Charges {
  int64_t runs = 0;  // and sessions
  int64_t cpu = 0;
  int64_t memory = 0;
  int64_t disk = 0;
  DeviceCount devices{};  // one of any kind is one of every kind
  void add(const Charge& charge, int64_t sign = 1);
  friend bool operator==(const Charges&, const Charges&) = default;
};

}  // namespace paddock::scheduler
