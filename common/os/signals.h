// Signals as something to wait for with poll(), instead of a handler.
#pragma once

#include <initializer_list>

#include "common/os/fd.h"

namespace paddock::os {

// Blocks these in the calling thread, and so in all that it starts from then on. Readable once one
// of them has come. Call it before there are other threads.
Result<Fd> signals_as_file(std::initializer_list<int> signals);

}  // namespace paddock::os
