#include "node-agent/sandbox/result/output_pipe.h"

#include <errno.h>
#include <unistd.h>

namespace paddock::sandbox {

void read_output(os::Fd& pipe, OutputStream& stream, MonoTime now, bool over) {
  char bytes[64 << 10];
  const ssize_t n = read(pipe.get(), bytes, sizeof bytes);
  if (n < 0 && (errno == EINTR || (errno == EAGAIN && !over))) return;
  if (n <= 0) return pipe.reset();
  stream.append({bytes, static_cast<size_t>(n)}, now);
}

}  // namespace paddock::sandbox
