#include "common/contracts/workspace.h"

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Workspace);
