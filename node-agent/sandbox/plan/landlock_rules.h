// The second wall: what the kernel's Landlock lets the command do with files, rendered from the
// same mount table as the first wall (the mounts themselves). Whatever no rule names is denied,
// even where a mount would allow it. Pure: golden-tested without a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "node-agent/sandbox/plan/mount_table.h"

namespace paddock::sandbox {

// The kernel's own numbers; older kernel headers do not have all of them.
namespace landlock {
inline constexpr uint64_t kExecute = 1U << 0;
inline constexpr uint64_t kWriteFile = 1U << 1;
inline constexpr uint64_t kReadFile = 1U << 2;
inline constexpr uint64_t kReadDir = 1U << 3;
inline constexpr uint64_t kRemoveDir = 1U << 4;
inline constexpr uint64_t kRemoveFile = 1U << 5;
inline constexpr uint64_t kMakeChar = 1U << 6;
inline constexpr uint64_t kMakeDir = 1U << 7;
inline constexpr uint64_t kMakeReg = 1U << 8;
inline constexpr uint64_t kMakeSock = 1U << 9;
inline constexpr uint64_t kMakeFifo = 1U << 10;
inline constexpr uint64_t kMakeBlock = 1U << 11;
inline constexpr uint64_t kMakeSym = 1U << 12;
inline constexpr uint64_t kRefer = 1U << 13;     // version 2
inline constexpr uint64_t kTruncate = 1U << 14;  // version 3
inline constexpr uint64_t kIoctlDev = 1U << 15;  // version 5

inline constexpr uint64_t kBindTcp = 1U << 0;  // version 4
inline constexpr uint64_t kConnectTcp = 1U << 1;

inline constexpr uint64_t kScopeAbstractUnixSocket = 1U << 0;  // version 6
inline constexpr uint64_t kScopeSignal = 1U << 1;

// Version 1 refuses every rename between folders, which honest programs need.
inline constexpr int kLeastVersion = 2;
}  // namespace landlock

struct LandlockRule {
  std::string path;     // as the command sees it
  uint64_t rights = 0;  // for the path and everything below it
  bool operator==(const LandlockRule&) const = default;
};

struct LandlockRuleset {
  // The rights that are denied unless a rule grants them; all zero: this host has no Landlock.
  uint64_t files = 0;
  uint64_t scopes = 0;
  // Denied without exception, as a ruleset of its own that is taken on with the order: so what was
  // made ahead of it fits runs with and without a loopback device.
  uint64_t network = 0;
  std::vector<LandlockRule> rules;
};

struct LandlockQuestion {
  int version = 0;       // of the host's kernel; 0: none
  uint64_t network = 0;  // granted: a rule is about ports, so it cannot tell loopback from the rest
  // With a list of tools, the only files that may be executed: nothing else in the table is, and a
  // process may not write its own memory either (/proc).
  std::vector<std::string> executables;
  bool only_executables = false;
};

LandlockRuleset render_landlock(const std::vector<MountEntry>& table,
                                const LandlockQuestion& question);
// The rules that `whole` has and `part` has not. Nothing if `part` is no part of it: it handles
// other things, or grants more.
std::optional<std::vector<LandlockRule>> rules_beyond(const LandlockRuleset& whole,
                                                      const LandlockRuleset& part);
// One line per rule and one for what is handled, for tests and for people.
std::string describe_landlock(const LandlockRuleset& ruleset);

}  // namespace paddock::sandbox
