// The second wall, given to the calling process and all that it will start. See landlock_rules.h.
#pragma once

#include <map>
#include <string>

#include "common/base/result.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/plan/landlock_rules.h"

namespace paddock::sandbox {

// The version of the kernel's Landlock; 0 if it has none or it is switched off.
int landlock_version();
// What rules name, by its path, found before; with O_PATH.
using OpenFiles = std::map<std::string, os::Fd>;

Result<os::Fd> open_below(int root, const std::string& path);

// The ruleset as the kernel's object. Paths that are not among the `open` ones are opened below
// `root` and rules bind to what is found there, so this comes after the last mount. Invalid for an
// empty one.
Result<os::Fd> make_ruleset(const LandlockRuleset& ruleset, int root, const OpenFiles& open = {});
// More for one that make_ruleset() made.
Status add_rules(const os::Fd& ruleset, const std::vector<LandlockRule>& rules, int root);
// Cannot be undone. The caller has no_new_privs. An invalid one does nothing.
Status take_ruleset(const os::Fd& ruleset);
// The same with a ruleset about these rights alone, which grants none of them.
Status give_up_tcp(uint64_t rights);

}  // namespace paddock::sandbox
