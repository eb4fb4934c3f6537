// Landlock, the second wall around files: a process takes a ruleset on for itself and everything
// that it will start. plan/landlock_rules.h decides what is in it.
#pragma once

#include <map>
#include <string>

#include "common/base/result.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/plan/landlock_rules.h"

namespace paddock::sandbox {

// The version of the kernel's Landlock; 0 if it has none or it is switched off.
int landlock_version();
// Files and folders that rules name, opened before with O_PATH, by their paths.
using OpenFiles = std::map<std::string, os::Fd>;

Result<os::Fd> open_below(int root, const std::string& path);

// The ruleset as the kernel's object. Paths that are not among the `open` ones are opened below
// `root` and rules bind to what is found there, so this comes after the last mount. Invalid for an
// empty one.
Result<os::Fd> make_ruleset(const LandlockRuleset& ruleset, int root, const OpenFiles& open = {});
// Adds rules to a ruleset that make_ruleset() made.
Status add_rules(const os::Fd& ruleset, const std::vector<LandlockRule>& rules, int root);
// Binds the calling process for good. The caller must have set no_new_privs. An invalid descriptor
// does nothing. The host's audit log gets no records of what is refused from then on, by this
// ruleset or by those that processes take on beneath it.
Status take_ruleset(const os::Fd& ruleset);
// For take_ruleset(): refuses these rights to TCP, and nothing else. Beneath any ruleset the kernel
// refuses renames and links from folder to folder unless a rule grants them, so this one does, for
// all that is below the caller's root. Invalid where the kernel knows no such rights.
Result<os::Fd> make_tcp_ruleset(uint64_t refused);

// For take_ruleset(): from then on the caller can signal only itself and what it starts, at any
// depth; nothing else is refused. Invalid where the kernel has no such rule (before Linux 6.12).
Result<os::Fd> make_signal_ruleset();

}  // namespace paddock::sandbox
