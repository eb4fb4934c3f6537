// Puts a rendered system call filter on the calling process, for itself and all that it will start.
// Needs no_new_privs or CAP_SYS_ADMIN in the caller's user namespace. There is no way back.
#pragma once

#include "common/os/fd.h"
#include "node-agent/sandbox/linux/seccomp/seccomp_program.h"

namespace paddock::sandbox {

Status install_filter(const SeccompProgram& program);
// For a program that asks: the descriptor on which its questions arrive. A process may have one
// such program only.
Result<os::Fd> install_asking_filter(const SeccompProgram& program);

// For LaunchChoices; never 0.
uint32_t random_pass();

}  // namespace paddock::sandbox
