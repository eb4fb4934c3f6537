// A store with a long past: copies of a run that really ended.
#pragma once

#include <string>

namespace paddock::bench {

// The run that is copied: of this name, ended, in a store that nobody has open.
inline const std::string kSeed = "seed-0000000";

// Makes `count` runs of it, `seed-0000001` and on, each with events, output and audit events of
// its own as the seed has them. The newest half a million audit events alone are kept, and as many
// changes as the store keeps, as a controller would have done.
void multiply_seed(const std::string& store, int64_t count);

}  // namespace paddock::bench
