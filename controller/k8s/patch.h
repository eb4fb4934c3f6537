// Merge patch (RFC 7386) and JSON patch (RFC 6902) over documents. Pure. What a hostile patch can
// cost is bounded: its depth, its number of operations, and the work that they make.
#pragma once

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::k8s {

// Members of `patch` replace those of `document`; null removes; other values replace it whole.
wire::Value merge_patch(wire::Value document, const wire::Value& patch);

// InvalidArgument (PATCH_INVALID) for what is no patch; FailedPrecondition (PATCH_TEST_FAILED,
// PATCH_PATH_MISSING, PATCH_TOO_COSTLY) for one that does not fit the document. The cause names the
// operation, `[3].path`.
Result<wire::Value> json_patch(wire::Value document, const wire::Value& patch);

inline constexpr size_t kMostPatchOperations = 10'000;
inline constexpr size_t kDeepestPatch = 64;          // tokens of a path and levels of a value
inline constexpr size_t kMostPatchWork = 2'000'000;  // values looked at, moved or copied

}  // namespace paddock::k8s
