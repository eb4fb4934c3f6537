#include "common/contracts/grant.h"

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Grant);
