#include "common/os/thread_user.h"

namespace paddock::os {

// On macOS nothing of ours runs as root: whoever writes is the user that the command has.
ThreadUser::ThreadUser(std::optional<uid_t>) {}
ThreadUser::~ThreadUser() = default;

}  // namespace paddock::os
