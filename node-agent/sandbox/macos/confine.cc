#include "node-agent/sandbox/macos/confine.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/os/environment.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/command/execute.h"

namespace paddock::sandbox {

int confine(std::span<char* const> arguments, bool (*is_confined)()) {
  if (arguments.size() < 2) return kNotConfined;
  const auto witness = parse_integer<int>(arguments[0]);
  if (!witness || fcntl(*witness, F_SETFD, FD_CLOEXEC) != 0) return kNotConfined;
  const bool confined = is_confined();
  const Status told = os::write_all(*witness, confined ? "confined\n" : "open\n");
  if (!confined || !told.ok()) return kNotConfined;
  const std::vector<std::string> command(arguments.begin() + 1, arguments.end());
  const auto env = os::environment();
  const int error = Execution(command, env).execute(execve);
  (void)os::write_all(*witness, cat("exec ", error, "\n"));
  return kNotExecuted;
}

}  // namespace paddock::sandbox
