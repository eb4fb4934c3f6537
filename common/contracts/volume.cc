#include "common/contracts/volume.h"

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Volume);
