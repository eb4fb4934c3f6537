// POST workspaces/{name}/tree with a root alone: is this the workspace's tree, with every blob? Who
// sends a project again, unchanged, sends nothing else. `stored` of the answer says so; if not, the
// tree itself is offered.
#pragma once

#include "common/contracts/tree.h"

namespace paddock::contracts {

struct TreeClaim {
  Digest root;
  static constexpr auto describe(auto&& visit) {
    return visit(field("root", &TreeClaim::root, "digest of the whole tree",
                       {.required = true, .min_length = 64, .max_length = 64}));
  }
};

}  // namespace paddock::contracts
