// Locks on files: among its own processes they are the kernel's, and nobody outside ever waits for
// one on a file that is only shown.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using testing::HasSubstr;

template <class Base>
class LocksOf : public Base {
 protected:
  contracts::LaunchRequest showing_a_file() {
    const std::string given = this->folder() + "/given";
    EXPECT_EQ(mkdir(given.c_str(), 0755), 0);
    EXPECT_TRUE(os::write_file_atomic(given + "/file", "host\n", 0644).ok());
    auto launch = this->request(this->probe("hoard_locks", {"/given/file"}));
    launch.policy.host_mounts = {{given, "/given", contracts::MountMode::kReadOnly}};
    return launch;
  }

  void expect_free_for_the_host() {
    Launched hoarder = this->start(showing_a_file());
    ASSERT_TRUE(hoarder.wait_for_output("HELD"));
    const os::Fd file(open((this->folder() + "/given/file").c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(flock(file.get(), LOCK_EX | LOCK_NB), 0) << "a sandbox has locked it";
    kill(hoarder.pid(), SIGTERM);
    const Finished done = hoarder.wait();
    EXPECT_THAT(done.out, HasSubstr("CONTAINED")) << done.err;
    ASSERT_TRUE(done.result);
    ASSERT_FALSE(done.result->denials.empty());
    EXPECT_EQ(done.result->denials[0].target, "flock");
  }
};

class Locks : public LocksOf<SandboxTest> {};
INSTANTIATE_TEST_SUITE_P(, Locks, testing::Values(As::kRoot, As::kUser), name_of);
class ServedLocks : public LocksOf<ServeTest> {};
INSTANTIATE_TEST_SUITE_P(, ServedLocks, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Locks, OnFilesThatAreOnlyShownKeepNobodyWaiting) { expect_free_for_the_host(); }
TEST_P(ServedLocks, OnFilesThatAreOnlyShownKeepNobodyWaiting) { expect_free_for_the_host(); }

// At a byte of its own: a program of this host may have the device locked just now.
constexpr off_t kByteOfADevice = 4'711'081;

TEST_P(ServedLocks, OnDevicesKeepNoProgramOfTheHostWaiting) {
  struct stat folder {};
  struct stat null {};
  ASSERT_EQ(stat("/dev", &folder) + stat("/dev/null", &null), 0);
  if (GetParam() == As::kUser || kernel_version() < std::pair(6, 15) ||
      folder.st_dev != null.st_dev)
    GTEST_SKIP() << "the inodes of devices are the host's there";
  Launched locks = start(request({"python3", "-c",
                                  cat(R"py(
import fcntl, os, time
names = ('null', 'zero', 'full', 'random', 'urandom')
fds = [os.open('/dev/' + name, os.O_RDWR) for name in names]
for fd in fds: fcntl.lockf(fd, fcntl.LOCK_EX, 1, )py",
                                      kByteOfADevice, R"py()
print([os.write(fds[0], b'gone'), os.read(fds[0], 4), os.read(fds[1], 2), len(os.read(fds[4], 9))])
print('HELD', flush=True)
time.sleep(600)
)py")}));
  ASSERT_TRUE(locks.wait_for_output("HELD"));
  for (const char* name : {"null", "zero", "full", "random", "urandom"}) {
    const os::Fd device(open(cat("/dev/", name).c_str(), O_RDWR | O_CLOEXEC));
    struct flock wanted {};
    wanted.l_type = F_WRLCK;
    wanted.l_start = kByteOfADevice;
    wanted.l_len = 1;
    ASSERT_EQ(fcntl(device.get(), F_OFD_GETLK, &wanted), 0) << name;
    EXPECT_EQ(wanted.l_type, F_UNLCK) << "a sandbox has locked " << name;
  }
  kill(locks.pid(), SIGTERM);
  EXPECT_THAT(locks.wait().out, HasSubstr("[4, b'', b'\\x00\\x00', 9]"));
}

// Each line says what a program finds that asks the kernel itself.
constexpr const char* kOwnLocks = R"py(
import ctypes, errno, fcntl, os, signal, subprocess, sys, threading
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock
path = sys.argv[1]
def opened(): return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
def refused(fd, how):
    try: flock(fd, how)
    except BlockingIOError: return True
    return False
one, two = opened(), opened()
flock(one, LOCK_EX)
print('excludes', refused(two, LOCK_EX | LOCK_NB), refused(two, LOCK_SH | LOCK_NB))
flock(os.dup(one), LOCK_SH)
print('shares', not refused(two, LOCK_SH | LOCK_NB), refused(two, LOCK_EX | LOCK_NB))
flock(two, LOCK_UN); flock(one, LOCK_EX)
def wait_for(lock):
    flock(lock, LOCK_EX)
    order.append('got')
order = []
waiter = threading.Thread(target=wait_for, args=(two,))
waiter.start()
waiter.join(0.1)
order.append('given')
flock(one, LOCK_UN)
waiter.join()
print('waits', order)
flock(two, LOCK_UN)
# A child has its parent's, as long as either has it open.
held = opened(); flock(held, LOCK_EX); os.set_inheritable(held, True)
child = subprocess.Popen(['cat'], stdin=subprocess.PIPE, close_fds=False)
os.close(held)
print('inherited', refused(one, LOCK_EX | LOCK_NB))
child.communicate()
print('freed', not refused(one, LOCK_EX | LOCK_NB))
# A signal ends the wait, or the kernel takes it up again.
class Enough(Exception): pass
waits = True
def enough(*_):
    global waits
    if waits:
        waits = False
        raise Enough
signal.signal(signal.SIGALRM, enough)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)  # again and again: one may come before the wait
    flock(two, LOCK_EX); print('not interrupted')
except Enough: print('interrupted')
signal.setitimer(signal.ITIMER_REAL, 0)
# One call of the kernel, whatever Python does about it; its handler lets the waiting one have it.
libc = ctypes.CDLL(None, use_errno=True)
let_go = threading.Thread(target=lambda: (signal.sigwait([signal.SIGUSR1]), flock(one, LOCK_UN)))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
let_go.start()
signal.signal(signal.SIGALRM, lambda *_: None)
for again in (True, False):
    signal.siginterrupt(signal.SIGALRM, not again)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    if again: threading.Timer(0.2, lambda: signal.pthread_kill(let_go.ident, signal.SIGUSR1)).start()
    else: flock(one, LOCK_EX | LOCK_NB)
    print('repeated' if libc.flock(two, LOCK_EX) == 0 else errno.errorcode[ctypes.get_errno()])
    flock(two, LOCK_UN)
# Who is killed while it waits leaves nothing.
flock(one, LOCK_UN); flock(two, LOCK_UN)
flock(one, LOCK_EX)
waiting = subprocess.Popen([sys.executable, '-c', 'import fcntl, sys; print(flush=True); fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX)', path], stdout=subprocess.PIPE)
waiting.stdout.readline()
waiting.kill(); waiting.wait()
flock(one, LOCK_UN)
print('nothing left', not refused(two, LOCK_EX | LOCK_NB))
for fd, how in ((9999, LOCK_EX), (two, 3), (os.open(path, os.O_PATH), LOCK_SH)):
    try: flock(fd, how)
    except OSError as error: print(errno.errorcode[error.errno])
)py";

constexpr const char* kAsTheKernelSays = R"(excludes True True
shares True True
waits ['given', 'got']
inherited True
freed True
interrupted
repeated
EINTR
nothing left True
EBADF
EINVAL
EBADF
)";

TEST_P(Locks, AmongItsOwnProcessesAreTheKernels) {
  for (const char* path : {"/workspace/lock", "/tmp/lock"}) {
    const Finished done = run({"python3", "-c", kOwnLocks, path});
    EXPECT_EQ(done.out, kAsTheKernelSays) << path << "\n" << done.err;
    ASSERT_TRUE(done.result);
    EXPECT_TRUE(done.result->denials.empty());
  }
}

TEST_P(ServedLocks, AmongItsOwnProcessesAreTheKernels) {
  const Finished done = run({"python3", "-c", kOwnLocks, "/workspace/lock"});
  EXPECT_EQ(done.out, kAsTheKernelSays) << done.err;
}

// More that wait at once than are looked at together.
TEST_P(Locks, HaveAllThatWaitTakeTheirTurn) {
  contracts::LaunchRequest launch = request({"python3", "-c", R"py(
import fcntl, threading
def add_one():
    with open('/workspace/n', 'r+') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        n = int(file.read())
        file.seek(0)
        file.write(str(n + 1))
with open('/workspace/n', 'w') as file: file.write('100')
held = open('/workspace/n')
fcntl.flock(held, fcntl.LOCK_EX)
threading.stack_size(1 << 18)
all = [threading.Thread(target=add_one) for _ in range(40)]
for each in all: each.start()
fcntl.flock(held, fcntl.LOCK_UN)
for each in all: each.join()
print(open('/workspace/n').read())
)py"});
  launch.policy.limits.pids = 60;
  const Finished done = run(launch);
  EXPECT_EQ(done.out, "140\n") << done.err;
}

// No cgroup counts what the kernel keeps of them.
class RangeLocks : public SandboxTest {
 protected:
  contracts::LaunchRequest hoarding(const char* how) {
    contracts::LaunchRequest launch = request(probe("hoard_ranges", {how}));
    launch.policy.limits.memory = wire::Quantity{256 * kMiB};
    launch.policy.limits.open_files = 20'000;
    launch.policy.limits.wall_time = wire::Duration{Millis(600'000)};
    launch.policy.limits.cpu_time = wire::Duration{Millis(600'000)};
    return launch;
  }
};
INSTANTIATE_TEST_SUITE_P(, RangeLocks, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(RangeLocks, AreNotTakenByMillions) {
  const auto memory = os::read_file("/proc/meminfo", 64 << 10);
  if (!memory.ok() || memory->find("\nSUnreclaim:") == std::string::npos)
    GTEST_SKIP() << "/proc/meminfo does not tell of this host's kernel";
  const Finished done = run(hoarding("process"));
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, contracts::SandboxStatus::kMemLimit) << done.result->reason;
  EXPECT_THAT(done.result->reason, HasSubstr("131072 locks on ranges of files")) << done.out;
}

TEST_P(RangeLocks, OfAnOpenFileAreFew) {
  const Finished done = run(hoarding("passed"));
  EXPECT_EQ(done.out, "HELD 64 128\nCONTAINED\n") << done.err;
  ASSERT_TRUE(done.result);
  ASSERT_FALSE(done.result->denials.empty());
  EXPECT_EQ(done.result->denials[0].target, "fcntl");
}

TEST_P(RangeLocks, OfAnHonestProgramAreLetAlone) {
  const Finished done = run(hoarding("honest"));
  EXPECT_EQ(done.out, "HELD 100000\n") << done.err;
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, contracts::SandboxStatus::kOk) << done.result->reason;
}

// Each line says what a program finds that asks the kernel itself.
constexpr const char* kOwnRanges = R"py(
import errno, fcntl, os, signal, struct, subprocess, sys, threading
path = sys.argv[1]
SETLK, SETLKW = fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW
def opened(flags=os.O_RDWR): return os.open(path, flags | os.O_CREAT, 0o600)
def ask(fd, how, kind, start=0, length=0, pid=0):
    fcntl.fcntl(fd, how, struct.pack('hhqqi4x', kind, os.SEEK_SET, start, length, pid))
def refused(fd, kind, start=0, length=0):
    try: ask(fd, SETLK, kind, start, length)
    except BlockingIOError: return True
    return False
one, two = opened(), opened()
ask(one, SETLK, fcntl.F_WRLCK, 0, 10)
print('excludes', refused(two, fcntl.F_WRLCK, 5, 10), refused(two, fcntl.F_RDLCK, 9, 1), refused(two, fcntl.F_WRLCK, 10, 5))
ask(os.dup(one), SETLK, fcntl.F_RDLCK, 0, 10)
print('shares', not refused(two, fcntl.F_RDLCK, 0, 10), refused(two, fcntl.F_WRLCK, 0, 10))
for fd in (one, two): ask(fd, SETLK, fcntl.F_UNLCK)
order = []
ask(one, SETLK, fcntl.F_WRLCK)
def wait_for():
    ask(two, SETLKW, fcntl.F_WRLCK)
    order.append('got')
waiter = threading.Thread(target=wait_for)
waiter.start()
waiter.join(0.1)
order.append('given')
ask(one, SETLK, fcntl.F_UNLCK)
waiter.join()
print('waits', order)
os.close(two)
print('freed', not refused(one, fcntl.F_WRLCK))
third = opened()
class Enough(Exception): pass
waits = True
def enough(*_):
    global waits
    if waits:
        waits = False
        raise Enough
signal.signal(signal.SIGALRM, enough)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)  # again and again: one may come before the wait
    ask(third, SETLKW, fcntl.F_WRLCK); print('not interrupted')
except Enough: print('interrupted')
signal.setitimer(signal.ITIMER_REAL, 0)
try: fcntl.lockf(third, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError: print('excludes those of a process')
for fd, how, kind, pid in ((9999, SETLK, fcntl.F_WRLCK, 0), (third, SETLK, 17, 0), (third, SETLK, fcntl.F_WRLCK, 1),
                           (opened(os.O_RDONLY), SETLK, fcntl.F_WRLCK, 0), (os.open(path, os.O_PATH), SETLK, fcntl.F_RDLCK, 0)):
    try: ask(fd, how, kind, 0, 0, pid)
    except OSError as error: print(errno.errorcode[error.errno])
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.fcntl(third, SETLK, ctypes.c_void_p(8)), errno.errorcode[ctypes.get_errno()])
)py";

constexpr const char* kRangesAsTheKernelSays = R"(excludes True True False
shares True True
waits ['given', 'got']
freed True
interrupted
excludes those of a process
EBADF
EINVAL
EINVAL
EBADF
EBADF
-1 EFAULT
)";

TEST_P(RangeLocks, OfAnOpenFileAreTheKernels) {
  for (const char* path : {"/workspace/lock", "/tmp/lock"}) {
    const Finished done = run({"python3", "-c", kOwnRanges, path});
    EXPECT_EQ(done.out, kRangesAsTheKernelSays) << path << "\n" << done.err;
    ASSERT_TRUE(done.result);
    EXPECT_TRUE(done.result->denials.empty());
  }
}

}  // namespace
}  // namespace paddock::adversarial
