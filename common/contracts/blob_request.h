// The files of its run that a node asks for in one request.
#pragma once

#include <vector>

#include "common/contracts/tree.h"

namespace paddock::contracts {

inline constexpr size_t kMostAskedBlobs = 2'048;

// POST nodes/{node}/runs/{uid}/blobs[?compression=zstd]. The answer is a bundle of them
// (common/cas/bundle.h), as one zstd frame if that is asked for. What is too large for one, or
// cannot be given now, is left out: it is asked for by itself, and the answer to that says why.
struct BlobRequest {
  std::vector<Digest> digests;
  static constexpr auto describe(auto&& visit) {
    return visit(field("digests", &BlobRequest::digests, "the files wanted, by their digests",
                       {.required = true, .max_length = kMostAskedBlobs}));
  }
};

}  // namespace paddock::contracts
