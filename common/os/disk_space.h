// Room on a file's disk, kept for what will be written to it.
#pragma once

#include <cstdint>

#include "common/base/result.h"

namespace paddock::os {

// So that the bytes from `from` on, which is at or behind the file's end, can be written even once
// the disk is full. The file's size stays. ResourceExhausted: the disk is full already. A file
// system that cannot keep room is no error: nothing is kept there.
Status keep_room(int fd, int64_t from, int64_t bytes);

}  // namespace paddock::os
