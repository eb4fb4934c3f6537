#include "cli/pool/bounded_program.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/process.h"

namespace paddock::cli {
namespace {

// Its end is waited for by whoever started it: nothing of it stays a zombie.
int reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// The streams of one program, until both have ended.
class Streams {
 public:
  Streams(os::Fd out, os::Fd err, size_t most) : most_(most) {
    fds_[0] = std::move(out);
    fds_[1] = std::move(err);
  }
  bool open() const { return fds_[0].valid() || fds_[1].valid(); }
  std::string& text(size_t which) { return texts_[which]; }

  // Waits for one of them, at most so long. False: too much was said.
  bool read(Millis wait) {
    std::array<struct pollfd, 2> wanted = {pollfd{fds_[0].get(), POLLIN, 0},
                                           pollfd{fds_[1].get(), POLLIN, 0}};
    const auto ms = static_cast<int>(std::clamp<int64_t>(wait.count(), 0, 60'000));
    if (::poll(wanted.data(), wanted.size(), ms) <= 0) return true;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].revents != 0 && !read_one(i)) return false;
    }
    return true;
  }

 private:
  bool read_one(size_t which) {
    std::array<char, 16384> bytes;
    const ssize_t got = ::read(fds_[which].get(), bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (got <= 0) {
      fds_[which].reset();
      return true;
    }
    texts_[which].append(bytes.data(), static_cast<size_t>(got));
    return texts_[which].size() <= most_;
  }

  std::array<os::Fd, 2> fds_;
  std::array<std::string, 2> texts_;
  size_t most_;
};

Error killed(pid_t pid, std::string why) {
  ::kill(-pid, SIGKILL);  // it has a session, and so a group, of its own
  (void)reap(pid);
  return {Code::kInternal, "PROGRAM_FAILED", std::move(why)};
}

}  // namespace

Result<ProgramEnd> run_bounded(const BoundedProgram& program, const Clock& clock) {
  const std::string name = os::base_name(program.argv.front());
  ASSIGN_OR_RETURN(os::Pipe in, os::make_pipe());
  ASSIGN_OR_RETURN(os::Pipe out, os::make_pipe());
  ASSIGN_OR_RETURN(os::Pipe err, os::make_pipe());
  os::SpawnOptions options;
  options.argv = program.argv;
  options.env = program.env;
  options.cwd = "/";
  options.stdin_fd = in.read.get();
  options.stdout_fd = out.write.get();
  options.stderr_fd = err.write.get();
  options.new_session = true;
  ASSIGN_OR_RETURN(const pid_t pid, os::spawn(options));
  out.write.reset();
  err.write.reset();
  // The input is a few KiB and a pipe holds 64, so this write ends even if the program reads
  // nothing.
  const Status written = os::write_all(in.write.get(), program.input);
  in.write.reset();
  in.read.reset();
  if (!written.ok()) return killed(pid, cat(name, ": ", written.error().message));
  Streams streams(std::move(out.read), std::move(err.read), program.most_output);
  const MonoTime deadline = clock.mono() + program.deadline;
  while (streams.open()) {
    const Millis left = deadline - clock.mono();
    if (left <= Millis(0))
      return killed(pid, cat(name, " did not end within ", format_duration(program.deadline)));
    if (!streams.read(left))
      return killed(pid, cat(name, " said more than ", program.most_output, " bytes"));
  }
  ProgramEnd end;
  end.status = reap(pid);
  end.out = std::move(streams.text(0));
  end.err = std::move(streams.text(1));
  return end;
}

}  // namespace paddock::cli
