#include "node-agent/sandbox/result/output_pipe.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace paddock::sandbox {
namespace {

// However the reads are cut short: neither can keep us here, nor fill our memory.
constexpr int kMostReads = 1024;
constexpr int kMostLeft = 1 << 20;  // where nobody says what it holds

}  // namespace

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

void read_what_is_left(os::Fd& pipe, OutputStream& stream, MonoTime now) {
  int holds = 0;
  if (ioctl(pipe.get(), FIONREAD, &holds) != 0) holds = kMostLeft;
  auto left = static_cast<int64_t>(holds);
  for (int i = 0; i < kMostReads && left > 0 && pipe.valid(); ++i)
    left -= static_cast<int64_t>(read_output(pipe, stream, now, true));
  pipe.reset();
}

}  // namespace paddock::sandbox
