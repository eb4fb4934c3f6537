// Answers flock, and the locks of fcntl that belong to an open file (F_OFD_SETLK). A process that
// has opened a file may lock it, also one that the sandbox sees read-only: the interpreter, a
// library, a volume. On the host and in every other sandbox it is the same file, so a process that
// locks it there would wait. So nothing inside takes a lock on what it cannot write.
//
// The call itself never goes on, as the kernel would look at the descriptor once more, and another
// thread can have put another file there. The lock is taken here, on a copy of the descriptor: both
// are one open file, whose lock it is, just as if the asker had taken it.
#pragma once

#include <linux/seccomp.h>

#include <cstdint>
#include <functional>

#include "node-agent/sandbox/linux/notify/network_gate.h"
#include "node-agent/sandbox/linux/notify/notifying_thread.h"

namespace paddock::sandbox {

// `done`: the call was made for the asker, and must not be made once more. `waits`: somebody else
// has the lock, so the question is judged again later. `still_asks` says whether the thread is
// still waiting for this answer: if so, the descriptor that was copied is its own, and not that of
// a later thread with the same number.
GateAnswer judge_lock(const NotifyingThread& caller, const seccomp_data& call,
                      const std::function<bool()>& still_asks);

// The same for fcntl's locks on ranges that belong to an open file. The kernel charges them to
// nobody, and they are in no table of a process while the file is on its way through a socket. So
// each open file has few, and one that everybody may write (a device) has none.
inline constexpr int64_t kMostRangesOfAFile = 64;
GateAnswer judge_range_lock(const NotifyingThread& caller, const seccomp_data& call,
                            const std::function<bool()>& still_asks);

}  // namespace paddock::sandbox
