#include "node-agent/sandbox/linux/kernel/socket_bounds.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "common/base/text.h"
#include "common/os/fd.h"

namespace paddock::sandbox {

void bound_socket_options() {
  const os::Fd file(open("/proc/sys/net/core/optmem_max", O_WRONLY | O_CLOEXEC));
  const std::string bound = cat(kMostOptionBytes);
  if (file.valid()) (void)!write(file.get(), bound.data(), bound.size());
}

}  // namespace paddock::sandbox
