#include "cli/instance/launch_here.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "cli/instance/program.h"
#include "cli/terminal/interrupt.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr size_t kPiece = 64 << 10;
constexpr size_t kMostCaptured = 4 << 20;

int reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A launcher that has reported its result only waits for the kernel to free what the run used. That
// can take long after a kill, so we do not wait for its end.
void let_end(pid_t pid, const std::optional<os::ProcessIdentity>& identity) {
  constexpr int kMostMs = 30;
  if (identity) (void)os::wait_gone(*identity, kMostMs);
  (void)::waitpid(pid, nullptr, WNOHANG);
}

bool was_killed(const contracts::SandboxResult& result) {
  using enum contracts::SandboxStatus;
  return result.status != kOk && result.status != kFailed;
}

Result<std::optional<contracts::SandboxResult>> take_frames(
    std::string& buffer, const std::function<void(const contracts::Frame&)>& on_output) {
  std::optional<contracts::SandboxResult> result;
  std::string_view rest = buffer;
  contracts::Frame frame;
  for (;;) {
    ASSIGN_OR_RETURN(const bool whole, contracts::take_frame(rest, frame));
    if (!whole) break;
    if (frame.type == contracts::FrameType::kResult) {
      ASSIGN_OR_RETURN(const wire::Value value,
                       wire::parse_json(frame.payload, {.max_bytes = size_t{256} << 20}));
      ASSIGN_OR_RETURN(result, wire::decode<contracts::SandboxResult>(value));
    } else if (frame.type != contracts::FrameType::kStarted) {
      on_output(frame);
    }
  }
  buffer.erase(0, buffer.size() - rest.size());
  return result;
}

Result<contracts::SandboxResult> read_events(
    int fd, const std::function<void(const contracts::Frame&)>& on_output) {
  std::string buffer;
  std::string piece(kPiece, '\0');
  for (;;) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading the sandbox's events", errno);
    if (got == 0) break;
    buffer.append(piece, 0, static_cast<size_t>(got));
    ASSIGN_OR_RETURN(std::optional<contracts::SandboxResult> result,
                     take_frames(buffer, on_output));
    if (result) return std::move(*result);
  }
  return Error{Code::kInternal, "LAUNCHER_LOST", "the sandbox's launcher ended without a result"};
}

}  // namespace

Result<PrivateFolder> PrivateFolder::make(const Env& env) {
  const std::string tmp = env.var("TMPDIR");
  std::string path = cat(tmp.starts_with('/') ? tmp : "/tmp", "/paddock-XXXXXX");
  if (::mkdtemp(path.data()) == nullptr) return system_error("making a temporary folder", errno);
  PrivateFolder out(std::move(path));
  TRY(out.guard());
  return out;
}

// A process that removes the folder once we are gone, however we end.
Status PrivateFolder::guard() {
  ASSIGN_OR_RETURN(os::Pipe life, os::make_pipe());
  os::SpawnOptions options;
  options.argv = {"/bin/sh", "-c", "read -r nothing; exec rm -rf -- \"$1\"", "sh", path_};
  options.env = {{"PATH", "/usr/bin:/bin"}};
  options.stdin_fd = life.read.get();
  options.new_session = true;
  ASSIGN_OR_RETURN(guard_, os::spawn(options));
  life_ = std::move(life.write);
  return {};
}

PrivateFolder::~PrivateFolder() {
  if (path_.empty()) return;
  (void)os::remove_tree(path_);
  life_.reset();
  if (guard_ > 0) (void)reap(guard_);
}

Result<contracts::SandboxResult> launch_here(
    const Env& env, const contracts::LaunchRequest& request,
    const std::function<void(const contracts::Frame&)>& on_output) {
  ASSIGN_OR_RETURN(const std::string program, find_program(env, kLauncher));
  // The request is a file in memory, so that none of it is left on the disk, however we end.
  ASSIGN_OR_RETURN(const os::Fd file, os::file_in_memory(wire::encode_json(request)));
  ASSIGN_OR_RETURN(os::Pipe events, os::make_pipe());
  os::SpawnOptions options;
  options.argv = {program,     "run",
                  "--request", cat("fd:", file.get()),
                  "--events",  cat("fd:", events.write.get())};
  options.env = env.vars;
  options.stderr_fd = STDERR_FILENO;
  options.keep_fds = {file.get(), events.write.get()};
  options.new_session = true;  // the terminal's Ctrl-C reaches us only
  ASSIGN_OR_RETURN(const pid_t pid, os::spawn(options));
  events.write.reset();
  const std::optional<os::ProcessIdentity> identity = os::identify(pid);
  Result<contracts::SandboxResult> result = [&]() -> Result<contracts::SandboxResult> {
    ASSIGN_OR_RETURN(const auto interrupts, Interrupts::start([&](int, int count) {
                       if (identity)
                         (void)os::signal_process(*identity, count > 2   ? SIGKILL
                                                             : count > 1 ? SIGQUIT
                                                                         : SIGTERM);
                     }));
    return read_events(events.read.get(), on_output);
  }();
  events.read.reset();
  if (result.ok() && was_killed(*result)) {
    let_end(pid, identity);
  } else {
    (void)reap(pid);
  }
  return result;
}

Result<Captured> capture_whole(const Env& env, const std::vector<std::string>& argv) {
  ASSIGN_OR_RETURN(os::Pipe pipe, os::make_pipe());
  os::SpawnOptions options;
  options.argv = argv;
  options.env = env.vars;
  options.stdout_fd = pipe.write.get();
  ASSIGN_OR_RETURN(const pid_t pid, os::spawn(options));
  pipe.write.reset();
  Result<std::string> text = os::read_all(pipe.read.get(), kMostCaptured);
  pipe.read.reset();
  const int rc = reap(pid);
  if (!text.ok()) return text.error();
  return Captured{std::move(*text), rc};
}

Result<std::string> capture(const Env& env, const std::vector<std::string>& argv) {
  ASSIGN_OR_RETURN(Captured all, capture_whole(env, argv));
  if (all.rc == 0) return std::move(all.text);
  return Error{Code::kInternal, "PROGRAM_FAILED",
               cat(os::base_name(argv[0]), " ended with ", all.rc)};
}

}  // namespace paddock::cli
