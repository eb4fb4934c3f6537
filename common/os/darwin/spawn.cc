// Starting programs with posix_spawn(2), which on macOS closes whatever it was not told to keep.
#include <signal.h>
#include <spawn.h>

#include "common/os/spawn_plan.h"

namespace paddock::os {
namespace {

// Default dispositions, nothing blocked, nothing inherited but what is named.
class Attributes {
 public:
  explicit Attributes(bool new_session) {
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    ::posix_spawnattr_init(&value_);
    ::posix_spawnattr_setsigdefault(&value_, &all);
    ::posix_spawnattr_setsigmask(&value_, &none);
    int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT;
    if (new_session) flags |= POSIX_SPAWN_SETSID;
    ::posix_spawnattr_setflags(&value_, static_cast<short>(flags));
  }
  ~Attributes() { ::posix_spawnattr_destroy(&value_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &value_; }

 private:
  posix_spawnattr_t value_{};
};

class Actions {
 public:
  Actions(const SpawnPlan& plan, const SpawnOptions& options) {
    ::posix_spawn_file_actions_init(&value_);
    if (!options.cwd.empty()) ::posix_spawn_file_actions_addchdir_np(&value_, options.cwd.c_str());
    for (size_t i = 0; i < plan.stdio.size(); ++i)
      ::posix_spawn_file_actions_adddup2(&value_, plan.stdio[i], static_cast<int>(i));
    for (const int fd : options.keep_fds) ::posix_spawn_file_actions_addinherit_np(&value_, fd);
  }
  ~Actions() { ::posix_spawn_file_actions_destroy(&value_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &value_; }

 private:
  posix_spawn_file_actions_t value_{};
};

// Above the standard ones, so that placing one does not overwrite another's source.
Status lift(std::array<int, 3>& stdio, std::array<Fd, 3>& lifted) {
  for (size_t i = 0; i < stdio.size(); ++i) {
    lifted[i].reset(::fcntl(stdio[i], F_DUPFD_CLOEXEC, 3));
    if (!lifted[i].valid()) return system_error("placing the standard streams", errno);
    stdio[i] = lifted[i].get();
  }
  return {};
}

}  // namespace

Result<pid_t> spawn(const SpawnOptions& options) {
  TRY(check(options));
  SpawnPlan plan(options);
  if (!plan.null.valid()) return system_error(plan.doing, errno);
  std::array<Fd, 3> lifted;
  TRY(lift(plan.stdio, lifted));
  const Attributes attributes(options.new_session);
  const Actions actions(plan, options);
  pid_t pid = -1;
  const int failure = ::posix_spawn(&pid, plan.argv[0], actions.get(), attributes.get(),
                                    plan.argv.data(), plan.env.data());
  if (failure != 0) return system_error(plan.doing, failure);
  return pid;
}

}  // namespace paddock::os
