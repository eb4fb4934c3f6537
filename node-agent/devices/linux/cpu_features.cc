#include "node-agent/devices/cpu_features.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/os/fd.h"
#include "common/os/file.h"

namespace paddock::devices {

// The head of the file alone: of hosts with hundreds of processors it is long, and slow to make.
std::vector<std::string> cpu_features(const std::string& root) {
  constexpr size_t kHeadBytes = 16 << 10;
  const std::string path = os::join_path(root, "proc/cpuinfo");
  const os::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string head(kHeadBytes, '\0');
  size_t size = 0;
  while (file.valid() && size < head.size()) {
    const ssize_t got = ::read(file.get(), head.data() + size, head.size() - size);
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  head.resize(size);
  return features_in(head);
}

}  // namespace paddock::devices
