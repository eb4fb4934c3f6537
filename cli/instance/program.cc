#include "cli/instance/program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr size_t kLogTailBytes = 64 << 10;
constexpr size_t kLongestSocketPath = 107;  // sun_path
constexpr Millis kPollEvery{20};
constexpr int kKillWaitMs = 10'000;

Result<os::Fd> fresh_log(const InstancePaths& paths, const std::string& program) {
  TRY(os::make_dirs(paths.log_folder(program)));
  const std::string path = paths.log(program);
  if (os::exists(path))
    ::rename(path.c_str(), (paths.log_folder(program) + "/previous.log").c_str());
  os::Fd log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!log.valid() && (errno == ENOSPC || errno == EDQUOT))
    return Error{Code::kResourceExhausted, "DISK_FULL",
                 cat("the disk of ", paths.folder,
                     " is full (df -h, df -i): no log file can be made; free some space there")};
  if (!log.valid()) return system_error("opening a log file", errno);
  return log;
}

}  // namespace

Result<std::string> find_program(const Env& env, const std::string& program) {
  const std::string path = os::join_path(env.program_dir, program);
  if (::access(path.c_str(), X_OK) == 0) return path;
  return Error{Code::kFailedPrecondition, "PROGRAM_MISSING",
               cat(program, " is not beside this program")};
}

os::ProcessIdentity identity_of_child(pid_t pid) {
  return os::identify(pid).value_or(os::ProcessIdentity{.pid = pid});
}

Result<StartedProgram> start_program(const Env& env, const InstancePaths& paths,
                                     const std::string& program,
                                     const std::vector<std::string>& args,
                                     const std::map<std::string, std::string>& variables) {
  ASSIGN_OR_RETURN(const std::string path, find_program(env, program));
  ASSIGN_OR_RETURN(const os::Fd log, fresh_log(paths, program));
  ASSIGN_OR_RETURN(os::Pipe report, os::make_pipe());
  os::SpawnOptions options;
  options.argv = {path};
  options.argv.insert(options.argv.end(), args.begin(), args.end());
  options.env = variables;
  options.env[os::kStartReportVariable] = std::to_string(report.write.get());
  options.env.insert(env.vars.begin(), env.vars.end());
  options.keep_fds = {report.write.get()};
  options.cwd = "/";
  options.stdout_fd = log.get();
  options.stderr_fd = log.get();
  options.new_session = true;
  ASSIGN_OR_RETURN(const pid_t pid, os::spawn(options));
  return StartedProgram{identity_of_child(pid), std::move(report.read)};
}

Result<bool> stop_process(const os::ProcessIdentity& process, Millis grace) {
  if (!os::alive(process)) return false;
  if (const Status sent = os::signal_process(process, SIGTERM); !sent.ok() && os::alive(process)) {
    return sent.error();
  }
  if (os::wait_gone(process, static_cast<int>(grace.count()))) return false;
  if (const Status sent = os::signal_process(process, SIGKILL); !sent.ok() && os::alive(process)) {
    return sent.error();
  }
  if (os::wait_gone(process, kKillWaitMs)) return true;
  return Error{Code::kDeadlineExceeded, "STILL_RUNNING",
               "a program does not end, even when killed"};
}

std::vector<std::string> log_tail(const InstancePaths& paths, const std::string& program,
                                  size_t lines) {
  const os::Fd log(::open(paths.log(program).c_str(), O_RDONLY | O_CLOEXEC));
  if (!log.valid()) return {};
  const off_t size = ::lseek(log.get(), 0, SEEK_END);
  const off_t keep = static_cast<off_t>(kLogTailBytes);
  ::lseek(log.get(), size > keep ? size - keep : 0, SEEK_SET);
  const Result<std::string> text = os::read_all(log.get(), 2 * kLogTailBytes);
  if (!text.ok()) return {};
  std::vector<std::string> all;
  for (std::string& line : split(*text, '\n')) {
    if (!line.empty()) all.push_back(std::move(line));
  }
  if (all.size() > lines) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(lines));
  return all;
}

bool wait_until(const Env& env, Millis limit, const std::function<bool()>& ready) {
  const MonoTime deadline = env.clock.mono() + limit;
  for (;;) {
    if (ready()) return true;
    if (env.clock.mono() >= deadline) return false;
    std::this_thread::sleep_for(kPollEvery);
  }
}

bool wait_until(const Env& env, LivedDeadline& deadline, const std::function<bool()>& ready) {
  for (;;) {
    if (ready()) return true;
    if (deadline.left(env.clock.mono()) <= Millis(0)) return false;
    std::this_thread::sleep_for(kPollEvery);
  }
}

std::vector<std::string> controller_args(const InstancePaths& paths, int64_t port) {
  std::vector<std::string> args = {
      "--data-dir", paths.controller_data(), "--host", "127.0.0.1", "--port", cat(port)};
  const std::string socket = paths.socket(kController);
  if (socket.size() <= kLongestSocketPath) {
    args.push_back("--unix-socket");
    args.push_back(socket);
  }
  return args;
}

std::vector<std::string> agent_args(const InstancePaths& paths, const std::string& url,
                                    const std::string& node, const PackageSources& packages) {
  std::vector<std::string> args = {"--server",
                                   url,
                                   "--ca-file",
                                   paths.controller_data() + "/tls/ca.pem",
                                   "--data-dir",
                                   paths.agent_data(),
                                   "--name",
                                   node,
                                   "--instance",
                                   paths.name,
                                   "--enroll-token-file",
                                   paths.controller_data() + "/tokens/enroll"};
  const std::vector<std::string> sources = source_args(packages);
  args.insert(args.end(), sources.begin(), sources.end());
  return args;
}

std::map<std::string, std::string> program_variables(const InstanceSettings& settings) {
  if (!settings.network) return {};
  std::map<std::string, std::string> out;
  for (const char* name : kNetworkVariables) out.emplace(name, "true");
  return out;
}

}  // namespace paddock::cli
