// The member `tree` beside a run that is planned or tried: files that its workspace will have, of
// which nothing need be there yet.
#pragma once

#include <optional>

#include "common/contracts/tree.h"
#include "controller/api/server/call.h"

namespace paddock::api {

struct ExpectedFiles {
  bool given = false;                   // the member is there
  std::optional<contracts::Tree> tree;  // nothing with `null`: files that nobody has named yet

  const contracts::Tree* get() const { return tree ? &*tree : nullptr; }
};

// Takes it out of the body. INVALID_FIELD, with the causes below `tree`.
Result<ExpectedFiles> take_expected_files(wire::Value& body);

// A dry run of a create whose workspace will have these files: refused as the create would be once
// they are there, also with the name of a workspace that does not exist yet.
Result<Response> try_run(Call& call);

}  // namespace paddock::api
