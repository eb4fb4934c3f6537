#include "node-agent/sandbox/linux/notify/space_gate.h"

#include <errno.h>
#include <linux/falloc.h>
#include <linux/magic.h>
#include <sys/vfs.h>

namespace paddock::sandbox {
namespace {

// Of threads that have died waiting nobody tells us.
constexpr size_t kMostWaiting = 4096;

// The end of what is asked for is beyond what a file may have; an overflow is too.
bool is_too_large(int64_t offset, int64_t bytes, int64_t most) {
  return bytes > most || offset > most - bytes;
}

DiskRoom::Of kind_of(const os::Fd& file) {
  struct statfs mount {};
  const bool in_memory = file.valid() && fstatfs(file.get(), &mount) == 0 &&
                         (mount.f_type == TMPFS_MAGIC || mount.f_type == HUGETLBFS_MAGIC);
  return in_memory ? DiskRoom::Of::kMemory : DiskRoom::Of::kDisk;
}

}  // namespace

// What the kernel refuses by itself goes on to it, so that it is refused as usual: by SIGXFSZ too.
GateAnswer SpaceGate::judge(const NotifyingThread& caller, const seccomp_data& call, MonoTime now) {
  const auto offset = static_cast<int64_t>(call.args[2]);
  const auto bytes = static_cast<int64_t>(call.args[3]);
  if (!room_ || offset < 0 || bytes <= 0) return {};
  const bool keeps_size = (call.args[1] & FALLOC_FL_KEEP_SIZE) != 0;
  if (const auto most = room_->file_bytes(); most && is_too_large(offset, bytes, *most))
    return {.error = keeps_size ? EFBIG : 0};
  if (waiting_.size() >= kMostWaiting) waiting_.clear();
  const MonoTime asked = waiting_.try_emplace(caller.thread(), now).first->second;
  const auto kind = kind_of(caller.descriptor(static_cast<int>(call.args[0])));
  const auto taken = room_->take(bytes, asked, kind);
  if (!taken) {
    const auto process = caller.process();
    if (!process || !process->interrupted) return {.waits = true};
  }
  waiting_.erase(caller.thread());
  if (!taken) return {.error = EINTR};
  return {.error = *taken ? 0 : ENOSPC};
}

}  // namespace paddock::sandbox
