#include "common/os/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {
namespace {

using testing::HasSubstr;
using testing::Not;

// Runs a shell script with spawn() and returns what it wrote and its exit code.
struct Ran {
  std::string out;
  int status = 0;
};
Ran run_shell(const std::string& script, SpawnOptions options = {}) {
  Pipe pipe = std::move(*make_pipe());
  options.argv = {"/bin/sh", "-c", script};
  options.stdout_fd = pipe.write.get();
  const Result<pid_t> pid = spawn(options);
  EXPECT_TRUE(pid.ok());
  pipe.write.reset();
  Ran ran;
  ran.out = *read_all(pipe.read.get(), 1 << 20);
  ::waitpid(*pid, &ran.status, 0);
  return ran;
}

// A child that waits until its pipe is closed, under a name of its own choice.
class Sleeper {
 public:
  explicit Sleeper(const char* name) {
    Pipe ready = std::move(*make_pipe());
    Pipe hold = std::move(*make_pipe());
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_NAME, name);
      hold.write.reset();
      (void)!::write(ready.write.get(), "x", 1);
      char byte = 0;
      (void)!::read(hold.read.get(), &byte, 1);
      ::_exit(0);
    }
    char byte = 0;
    EXPECT_EQ(::read(ready.read.get(), &byte, 1), 1);
    hold_ = std::move(hold.write);
  }
  ~Sleeper() {
    hold_.reset();
    reap();
  }
  pid_t pid() const { return pid_; }
  void finish() { hold_.reset(); }
  void reap() {
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  Fd hold_;
};

TEST(Identify, KnowsThisProcessAndNotOneThatNeverWas) {
  const std::optional<ProcessIdentity> self = identify(::getpid());
  ASSERT_TRUE(self.has_value());
  EXPECT_EQ(self->pid, ::getpid());
  EXPECT_GT(self->start_ticks, 0U);
  EXPECT_TRUE(alive(*self));
  EXPECT_FALSE(identify(0).has_value());
  EXPECT_FALSE(identify(-1).has_value());
}

TEST(Identify, IsNotFooledByAHostileCommandName) {
  const Sleeper plain("plain");
  for (const char* name : {"x) Z 1 1 (", ") R 0 0 0 0 0", "a\nb) S", "((((", "))))", ""}) {
    const Sleeper odd(name);
    const std::optional<ProcessIdentity> identity = identify(odd.pid());
    ASSERT_TRUE(identity.has_value()) << name;
    EXPECT_GE(identity->start_ticks, identify(plain.pid())->start_ticks) << name;
    EXPECT_EQ(identity->boot_id, identify(plain.pid())->boot_id);
  }
}

TEST(Identify, DoesNotCountAZombieAsAlive) {
  Sleeper child("child");
  const ProcessIdentity identity = *identify(child.pid());
  child.finish();
  EXPECT_TRUE(wait_gone(identity, 60'000));
  EXPECT_FALSE(alive(identity));  // not reaped yet
  EXPECT_FALSE(identify(child.pid()).has_value());
}

TEST(SignalProcess, ReachesTheVeryProcessAndNoOther) {
  Sleeper child("child");
  const ProcessIdentity identity = *identify(child.pid());
  ProcessIdentity older = identity;
  older.start_ticks -= 1;
  EXPECT_EQ(signal_process(older, SIGKILL).error().reason, "PROCESS_GONE");
  ProcessIdentity other_boot = identity;
  other_boot.boot_id = "another";
  EXPECT_EQ(signal_process(other_boot, SIGKILL).error().reason, "PROCESS_GONE");
  EXPECT_TRUE(alive(identity));
  EXPECT_FALSE(wait_gone(identity, 0));
  EXPECT_TRUE(signal_process(identity, SIGKILL).ok());
  EXPECT_TRUE(wait_gone(identity, 60'000));
  EXPECT_EQ(signal_process(identity, SIGKILL).error().reason, "PROCESS_GONE");
}

TEST(Spawn, GivesExactlyTheEnvironmentFolderAndDescriptorsAskedFor) {
  const test::TempDir dir;
  const Fd leaked(::open("/dev/null", O_RDONLY));  // deliberately not close-on-exec
  const Fd kept(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  SpawnOptions options;
  options.env = {{"ONLY", "this"}, {"PATH", "/usr/bin:/bin"}};
  options.cwd = dir.path();
  options.keep_fds = {kept.get()};
  const Ran ran = run_shell(
      cat("echo $ONLY $HOME; pwd; for fd in ", kept.get(), " ", leaked.get(),
          "; do [ -e /proc/self/fd/$fd ] && echo has $fd; done; readlink /proc/self/fd/0"),
      options);
  EXPECT_EQ(ran.out, cat("this\n", dir.path(), "\nhas ", kept.get(), "\n/dev/null\n"));
}

TEST(Spawn, ResetsSignalsThatTheParentIgnoresOrBlocks) {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  SpawnOptions options;
  options.env = {{"PATH", "/usr/bin:/bin"}};
  const Ran ran = run_shell("grep -E 'Sig(Blk|Ign)' /proc/self/status", options);
  ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  EXPECT_EQ(ran.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  EXPECT_EQ(WTERMSIG(run_shell("kill -PIPE $$", options).status), SIGPIPE);
}

TEST(Spawn, PlacesStandardDescriptorsEvenWhenTheyCross) {
  const test::TempDir dir;
  dir.write("in", "input");
  const Fd in(::open((dir / "in").c_str(), O_RDONLY | O_CLOEXEC));
  const Fd saved(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  Pipe pipe = std::move(*make_pipe());
  ASSERT_EQ(::dup2(pipe.write.get(), 0), 0);  // the child's output is our descriptor 0
  SpawnOptions options;
  options.argv = {"/bin/cat"};
  options.stdin_fd = in.get();
  options.stdout_fd = 0;
  const Result<pid_t> pid = spawn(options);
  if (saved.valid()) {
    ::dup2(saved.get(), 0);
  } else {
    ::close(0);
  }
  pipe.write.reset();
  ASSERT_TRUE(pid.ok());
  EXPECT_EQ(*read_all(pipe.read.get(), 100), "input");
  ::waitpid(*pid, nullptr, 0);
}

TEST(Spawn, StartsASessionOfItsOwn) {
  SpawnOptions options;
  options.new_session = true;
  EXPECT_EQ(run_shell("set -- $(cat /proc/$$/stat); [ $1 = $6 ] && echo leader",
                      [&] {
                        options.env = {{"PATH", "/usr/bin:/bin"}};
                        return options;
                      }())
                .out,
            "leader\n");
}

TEST(Spawn, SaysThatAProgramIsMissingAndLeavesNoChild) {
  SpawnOptions options;
  options.argv = {"/nowhere/at/all"};
  const Error error = spawn(options).error();
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.message, Not(HasSubstr("nowhere")));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(spawn(SpawnOptions{}).error().reason, "NO_PROGRAM");
}

TEST(ProgramDir, IsWhereThisTestIs) {
  EXPECT_TRUE(exists(join_path(program_dir(), "common_os_test")));
}

}  // namespace
}  // namespace paddock::os
