#include "node-agent/sandbox/macos/group.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "common/base/text.h"
#include "node-agent/sandbox/macos/descriptors.h"

namespace paddock::sandbox {
namespace {

constexpr int kWitness = 3;

// The values that the new process needs, made before it exists.
struct Start {
  const SeatbeltPlan& plan;
  const char* program;
  std::vector<char*> argv;
  std::vector<char*> envp;
  int out = -1;
  int err = -1;
  int witness = -1;
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

void close_others_on_exec() {
  for (const int fd : open_descriptors()) {
    if (fd > kWitness) fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
}

bool set_descriptors(const Start& start) {
  constexpr int kAbove = 16;
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int sources[] = {in, start.out, start.err, start.witness};
  int moved[4];
  for (int i = 0; i < 4; ++i) moved[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, kAbove);
  for (int i = 0; i < 4; ++i) {
    if (moved[i] < 0 || dup2(moved[i], i) < 0) return false;
  }
  close_others_on_exec();
  return true;
}

void reset_all_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool lower_rlimits(const std::vector<RlimitSetting>& settings) {
  return std::ranges::all_of(settings, [](const RlimitSetting& setting) {
    rlimit now{};
    if (getrlimit(setting.resource, &now) != 0) return false;
    const rlimit wanted{std::min<rlim_t>(setting.soft, now.rlim_max),
                        std::min<rlim_t>(setting.hard, now.rlim_max)};
    return setrlimit(setting.resource, &wanted) == 0;
  });
}

// Returns the step that failed.
const char* become(const Start& start) {
  if (setsid() < 0) return "making a session";
  if (!set_descriptors(start)) return "setting the standard streams";
  umask(022);
  if (chdir(start.plan.workdir.c_str()) != 0) return "entering workdir";
  reset_all_signals();
  if (!lower_rlimits(start.plan.rlimits)) return "setting the limits";
  execve(start.program, start.argv.data(), start.envp.data());
  return "starting sandbox-exec";
}

}  // namespace

Result<ConfinedGroup> start_confined(const SeatbeltPlan& plan, const std::string& sandbox_exec,
                                     const std::string& confine) {
  ASSIGN_OR_RETURN(os::Pipe out, os::make_pipe());
  ASSIGN_OR_RETURN(os::Pipe err, os::make_pipe());
  ASSIGN_OR_RETURN(os::Pipe witness, os::make_pipe());
  for (const os::Fd* end : {&out.read, &err.read, &witness.read}) {
    if (fcntl(end->get(), F_SETFL, O_NONBLOCK) != 0) return system_error("the run's pipes", errno);
  }
  std::vector<std::string> words = {"sandbox-exec", "-p", plan.profile, confine, cat(kWitness)};
  words.insert(words.end(), plan.command.begin(), plan.command.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : plan.env) variables.push_back(cat(name, "=", value));
  const Start start{plan,
                    sandbox_exec.c_str(),
                    pointers(words),
                    pointers(variables),
                    out.write.get(),
                    err.write.get(),
                    witness.write.get()};
  const pid_t pid = fork();
  if (pid < 0) return system_error("starting a process", errno);
  if (pid == 0) {
    const char* step = become(start);
    const std::string line = cat("failed ", step, ": ", strerror(errno), "\n");
    (void)os::write_all(start.witness, line);  // the number is ours until exec, whatever failed
    _exit(127);
  }
  auto guard = GroupGuard::start(pid);
  if (!guard.ok()) {
    signal_group(pid, SIGKILL);
    (void)reap_first(pid);
    return guard.error();
  }
  return ConfinedGroup{pid, std::move(witness.read), std::move(out.read), std::move(err.read),
                       std::move(*guard)};
}

void signal_group(pid_t group, int signal) {
  if (kill(-group, signal) != 0) kill(group, signal);  // it may not have made its group yet
}

bool first_has_ended(pid_t group) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(group), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == group;
}

Reaped reap_first(pid_t group) {
  Reaped out;
  while (wait4(group, &out.wait_status, 0, &out.used) < 0 && errno == EINTR) {
  }
  return out;
}

}  // namespace paddock::sandbox
