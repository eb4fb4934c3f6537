#include "common/contracts/calls.h"

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::CallsRequest);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::CallsAnswer);
