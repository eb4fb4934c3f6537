// Answers fallocate, as far as it takes space: the kernel gives that without anything being
// written, and with FALLOC_FL_KEEP_SIZE also beyond the largest size that a file may have
// (RLIMIT_FSIZE). What is in the call's registers decides, which no other thread can change; and
// which kind of file it is, as far as disk_room.h says that this may be believed.
#pragma once

#include <linux/seccomp.h>

#include <map>
#include <memory>

#include "common/base/time.h"
#include "node-agent/sandbox/linux/notify/disk_room.h"
#include "node-agent/sandbox/linux/notify/network_gate.h"
#include "node-agent/sandbox/linux/notify/notifying_thread.h"

namespace paddock::sandbox {

class SpaceGate {
 public:
  // Without one every call goes on.
  void bounded_by(std::shared_ptr<DiskRoom> room) { room_ = std::move(room); }
  GateAnswer judge(const NotifyingThread& caller, const seccomp_data& call, MonoTime now);

 private:
  std::shared_ptr<DiskRoom> room_;
  // When threads that wait have asked. A thread that is frozen meanwhile asks anew once it goes on,
  // and has been waiting all the same.
  std::map<pid_t, MonoTime> waiting_;
};

}  // namespace paddock::sandbox
