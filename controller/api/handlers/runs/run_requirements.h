// What a run's requirements file says, read before the run is created: whoever wrote it hears at
// once what no node would install.
#pragma once

#include "common/cas/blob_store.h"
#include "common/contracts/run.h"
#include "common/contracts/tree.h"

namespace paddock::api {

// REQUIREMENTS_INVALID, as nodes say it. What cannot be read here is left to the node.
Status check_requirements_file(const std::string& path, const contracts::Tree& tree,
                               const cas::BlobStore& blobs);

}  // namespace paddock::api
