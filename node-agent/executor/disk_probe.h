// Whether a run's folder takes what is written to it now: asked where something of the run ended
// without a word, which a disk that is full or fails explains.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"

namespace paddock::executor {

// Writes as much as a run's result may take, and removes it. The disk's fault, by the name that a
// node's conditions give it; nothing: it is well.
std::optional<Error> disk_fault(const std::string& folder);

}  // namespace paddock::executor
