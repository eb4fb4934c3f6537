#include "node-agent/sandbox/linux/child/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

constexpr int kSizeBits = 16;

Status set_size(int terminal, int packed) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(packed >> kSizeBits);
  size.ws_col = static_cast<unsigned short>(packed & ((1 << kSizeBits) - 1));
  if (ioctl(terminal, TIOCSWINSZ, &size) != 0)
    return step_error("setting the terminal's size", errno);
  return {};
}

// Opens the inner end of the terminal through its outer end and not by its path, since the view may
// have anything at that path.
Result<os::Fd> open_inner_end(const os::Fd& outer) {
  int locked = 0;
  if (ioctl(outer.get(), TIOCSPTLCK, &locked) != 0)
    return step_error("unlocking the terminal", errno);
  os::Fd inner(ioctl(outer.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!inner.valid()) return step_error("opening the terminal", errno);
  return inner;
}

}  // namespace

Status take_terminal(int control, int packed_size) {
  const os::Fd outer(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!outer.valid() && errno == ENOSPC)
    return Error{Code::kResourceExhausted, kNoTerminalLeft, "no terminal is left"};
  if (!outer.valid()) return step_error("making a terminal", errno);
  ASSIGN_OR_RETURN(const os::Fd inner, open_inner_end(outer));
  TRY(set_size(inner.get(), packed_size));
  if (ioctl(inner.get(), TIOCSCTTY, 0) != 0)
    return step_error("making the terminal the session's", errno);
  if (!send_control(control, ControlMessage::Type::kTerminal, 0, 0, {}, outer.get()))
    return step_error("handing over the terminal", errno);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (dup3(inner.get(), stream, 0) < 0) return step_error("setting the standard streams", errno);
  }
  return {};
}

}  // namespace paddock::sandbox
