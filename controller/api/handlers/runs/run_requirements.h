// Reads a run's requirements file before the run is created, so that its author hears at once of
// what no node would install.
#pragma once

#include <functional>
#include <string>

#include "common/base/result.h"
#include "common/contracts/tree.h"

namespace paddock::api {

// The first so many bytes of a blob that the run's namespace may read, or why that cannot be.
using ReadBlob = std::function<Result<std::string>(const contracts::Digest&, size_t most)>;

// REQUIREMENTS_INVALID, as nodes say it. What cannot be read here is left to the node.
Status check_requirements_file(const std::string& path, const contracts::Tree& tree,
                               const ReadBlob& read_blob);

}  // namespace paddock::api
