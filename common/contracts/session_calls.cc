#include "common/contracts/session_calls.h"

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::SessionOrder);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::CommandOrder);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::FileOrder);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::FileAnswer);
