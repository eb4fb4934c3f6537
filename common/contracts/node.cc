#include "common/contracts/node.h"

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Node);
