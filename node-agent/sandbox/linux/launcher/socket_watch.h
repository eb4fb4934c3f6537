// Counts what the sockets of a sandbox's own network hold. A cgroup counts little of it: neither
// connections that nobody has accepted, nor error queues, datagrams that are not complete, answers
// of the kernel and options of sockets. The kernel tells of each socket (sock_diag), without a lock
// that a program could hold; it is asked only where there are more than a few.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>

#include "common/base/time.h"
#include "common/os/fd.h"

namespace paddock::sandbox {

struct SocketKind {
  uint8_t family;
  uint8_t protocol;
};

class SocketWatch {
 public:
  // `init`: the sandbox's first process. `most_bytes`: what all sockets may hold together.
  // `same_user`: the launcher's, who can find the sandbox's network only before the command starts.
  SocketWatch(pid_t init, int64_t most_bytes, bool same_user);

  // Whether they held too much, this time and the time before. Call it every 100 ms or so, with one
  // thread. It counts for a tenth of its time, where that takes less than a second.
  bool look(const Clock& clock);

 private:
  struct Use {
    int64_t bytes = 0;
    int64_t unowned = 0;  // connections that were closed, or not accepted
    int64_t unseen = 0;   // sockets of which the kernel does not tell
  };
  void find_network();
  bool counts_few();
  void open_question();
  Use count();
  // An errno value; 0: all of that kind are counted.
  int add(const SocketKind& kind, Use& use) const;
  bool is_over(const Use& use) const;

  pid_t init_;
  int64_t most_bytes_;
  os::Fd user_namespace_;
  os::Fd network_;
  os::Fd totals_;                  // /proc/INIT/net/sockstat
  os::Fd protocols_;               // /proc/INIT/net/protocols
  os::Fd question_;                // a socket of the sandbox's network
  std::array<bool, 5> missing_{};  // what this kernel cannot be asked
  int64_t sockets_ = 0;
  bool was_over_ = false;
  MonoTime rests_until_;
};

}  // namespace paddock::sandbox
