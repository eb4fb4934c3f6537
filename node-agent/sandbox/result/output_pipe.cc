#include "node-agent/sandbox/result/output_pipe.h"

#include <errno.h>
#include <unistd.h>

namespace paddock::sandbox {

size_t read_output(os::Fd& pipe, OutputStream& stream, MonoTime now, bool over) {
  char bytes[64 << 10];
  const ssize_t n = read(pipe.get(), bytes, sizeof bytes);
  if (n < 0 && (errno == EINTR || (errno == EAGAIN && !over))) return 0;
  if (n <= 0) {
    pipe.reset();
    return 0;
  }
  stream.append({bytes, static_cast<size_t>(n)}, now);
  return static_cast<size_t>(n);
}

}  // namespace paddock::sandbox
