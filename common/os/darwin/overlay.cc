#include "common/os/overlay.h"

namespace paddock::os {

Result<Fd> mount_layers(const Layers&) {
  return Error{Code::kFailedPrecondition, "LAYERS_UNAVAILABLE", "macOS has no layered folders"};
}

}  // namespace paddock::os
