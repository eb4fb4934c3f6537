// The program `paddock`: fills in what the commands may touch and runs one.
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include <climits>

#include "cli/commands/commands.h"
#include "cli/terminal/raw_terminal.h"
#include "common/os/environment.h"
#include "common/os/fd.h"
#include "common/os/process.h"

namespace paddock::cli {
namespace {

constexpr int kReaderGone = 128 + SIGPIPE;

Stream make_stream(int fd, bool no_colour) {
  Stream stream;
  // The reader of our output went away: there is nothing left to do, and nobody to tell.
  stream.write = [fd](std::string_view text) {
    if (os::write_all(fd, text).ok()) return;
    restore_terminal();
    ::_exit(kReaderGone);
  };
  stream.tty = ::isatty(fd) == 1;
  stream.colour = stream.tty && !no_colour;
  winsize size = {};
  if (stream.tty && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    stream.width = size.ws_col;
  return stream;
}

std::string current_folder() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) == nullptr ? std::string("/") : std::string(path);
}

}  // namespace
}  // namespace paddock::cli

int main(int argc, char** argv) {
  using namespace paddock;
  ::signal(SIGPIPE, SIG_IGN);  // a broken connection is an error to handle, not a death
  const SystemClock clock;
  SystemRandom random;
  cli::Env env{.vars = os::environment(),
               .cwd = cli::current_folder(),
               .program_dir = os::program_dir(),
               .root = ::geteuid() == 0,
               .stdin_tty = ::isatty(STDIN_FILENO) == 1,
               .out = {},
               .err = {},
               .clock = clock,
               .random = random};
  const bool plain = !env.var("NO_COLOR").empty() || env.var("TERM") == "dumb";
  env.out = cli::make_stream(STDOUT_FILENO, plain);
  env.err = cli::make_stream(STDERR_FILENO, plain);
  return cli::run_cli(std::vector<std::string>(argv + 1, argv + argc), env);
}
