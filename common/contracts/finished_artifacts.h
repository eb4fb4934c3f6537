// What a run has finished writing while it lives: how its node tells the controller of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/contracts/artifact.h"

namespace paddock::contracts {

// How many artifacts one run may have while it lives; the others come when it ends. They are part
// of the Run object, which is written again with each of them.
inline constexpr size_t kMaxFinishedArtifacts = 1'000;
inline constexpr size_t kMaxFinishedNames = size_t{256} << 10;  // bytes of all their paths

// POST nodes/{node}/runs/{uid}/artifacts. Their blobs are stored before. One whose path is known
// takes the place of what was there, so that telling it twice is telling it once.
struct FinishedArtifacts {
  int64_t attempt = 0;
  std::vector<Artifact> items;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("attempt", &FinishedArtifacts::attempt, "the fence", {.required = true, .min = 1}),
        field("items", &FinishedArtifacts::items, "files that nobody writes any more",
              {.required = true, .max_length = kMaxFinishedArtifacts}));
  }
};

}  // namespace paddock::contracts
