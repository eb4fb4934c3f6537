#include "common/contracts/host_limits.h"

#include <algorithm>
#include <bit>

#include "common/contracts/limit_text.h"

namespace paddock::contracts {
namespace {

// Where the kernel gives processes 47 bits of addresses. It costs nothing to ask for all of them:
// the pages behind them count as memory, the tables too.
constexpr int64_t kMostAddresses = int64_t{1} << 47;
// More the kernel takes of no command.
constexpr int64_t kKernelArgumentBytes = int64_t{2} << 20;
// A file system that makes its files as it needs them has room for one in each block.
constexpr int64_t kSmallestFile = 4096;

int64_t most_of(int64_t all) { return all / 16 * 15; }

int64_t rounded_down(int64_t value) {
  if (value <= 0) return 0;
  const auto digits = static_cast<int>(std::bit_width(static_cast<uint64_t>(value)));
  const int dropped = std::max(0, digits - 5);
  return value >> dropped << dropped;
}

wire::Quantity bytes(int64_t value) { return wire::Quantity{rounded_down(value)}; }

template <class Visit>
void for_each_limit(const Visit& visit) {
  SandboxLimits::describe([&](const auto&... f) { (visit(f.name, f.member), ...); });
}

SandboxLimits raw_limits(const HostSize& host) {
  SandboxLimits out;
  out.memory = bytes(most_of(host.memory));
  out.address_space = wire::Quantity{kMostAddresses};
  out.pids = rounded_down(host.processes / 4);
  out.file_size = out.fs_bytes = bytes(most_of(host.disk));
  out.file_count = rounded_down(host.files > 0 ? most_of(host.files) : host.disk / kSmallestFile);
  out.command_bytes = wire::Quantity{kKernelArgumentBytes};
  return out;
}

}  // namespace

SandboxLimits limits_of_host(const HostSize& host, const Profiles& profiles) {
  SandboxLimits out = raw_limits(host);
  for (const auto& each : profiles) {
    const SandboxLimits& theirs = each.second.policy.limits;
    for_each_limit([&](const char*, auto member) {
      const auto& asked = theirs.*member;
      if (out.*member && asked) out.*member = std::max(*(out.*member), *asked);
    });
  }
  return out;
}

SandboxLimits larger_of(SandboxLimits limits, const SandboxLimits& others) {
  for_each_limit([&](const char*, auto member) {
    limits.*member = std::max(limits.*member, others.*member);  // an absent one is the least
  });
  return limits;
}

std::vector<CeilingRefusal> over_largest(const SandboxPolicy& policy, const SandboxLimits& largest,
                                         const Ceilings& ceilings, const std::string& whose) {
  std::vector<CeilingRefusal> out;
  for_each_limit([&](const char* name, auto member) {
    const auto& asked = policy.limits.*member;
    const auto& most = largest.*member;
    if (!asked || !most || ceilings.limits.*member || *asked <= *most) return;
    out.push_back({"LIMIT_OVER_CEILING", cat("limits.", name),
                   cat(limit_text(*asked), " is over the ceiling of ", limit_text(*most),
                       ", as much as ", whose, " gives; ask for at most ", limit_text(*most),
                       raised_by(cat("limits.", name)))});
  });
  return out;
}

}  // namespace paddock::contracts
