#include "common/contracts/sync.h"

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::EnrollRequest);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::EnrollAnswer);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::SyncRequest);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::SyncAnswer);
