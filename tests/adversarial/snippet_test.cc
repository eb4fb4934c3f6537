// The settings of the design's jail, each seen from inside a run of the profile `snippet`.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxStatus;

class Snippet : public SandboxTest {
 protected:
  LaunchRequest snippet(const std::string& code) const {
    const contracts::Profile& profile = contracts::builtin_profiles().at("snippet");
    LaunchRequest launch = request({"python3", "-c", code});
    launch.policy = profile.policy;
    launch.policy.limits.wall_time = wire::Duration{kAmple};
    launch.env = profile.environment;
    launch.workdir = profile.workdir;
    launch.mounts.clear();  // ELV: nothing but what the jail's file names
    return launch;
  }
};
INSTANTIATE_TEST_SUITE_P(, Snippet, testing::Values(As::kRoot, As::kUser), name_of);

// proves: ELV-53, ELV-54, ELV-62, ELV-66, ELV-67
TEST_P(Snippet, HasItsOwnNameFolderAndIdentity) {
  const Finished done =
      run(snippet("import os, socket\n"
                  "print(os.uname().nodename, os.getcwd(), os.getuid())\n"
                  "print(open('/proc/self/uid_map').read().split()[0])\n"
                  "print(','.join(sorted(k for k in os.environ if k != 'LC_CTYPE')), "
                  "os.environ['PATH'], os.environ['HOME'])\n"
                  "print({l.split(':')[2] for l in open('/proc/self/cgroup').read().split()})\n"
                  "try: socket.sethostname('other'); print('BREACH')\n"
                  "except OSError: pass\n"));
  EXPECT_EQ(done.out,
            "sandbox /tmp 1000\n1000\n"
            "HOME,PATH,PYTHONDONTWRITEBYTECODE,PYTHONUNBUFFERED "
            "/opt/sandbox/bin:/usr/bin:/bin /tmp\n{'/'}\n")
      << done.err;
}

// proves: VLT-78, ELV-56, ELV-58, ELV-59, ELV-60
// proves partly: ELV-57
TEST_P(Snippet, HasExactlyTheLimitsOfItsDesign) {
  const Finished done =
      run(snippet("import resource as r, os\n"
                  "print([r.getrlimit(x) for x in (r.RLIMIT_AS, r.RLIMIT_FSIZE, "
                  "r.RLIMIT_NOFILE, r.RLIMIT_NPROC)], r.getrlimit(r.RLIMIT_CPU)[0])\n"
                  "try: bytearray(300 << 20); print('BREACH memory')\n"
                  "except MemoryError: print('memory')\n"
                  "open('/tmp/a', 'wb').write(bytes(1 << 20))\n"
                  "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
                  "fd = os.open('/tmp/b', os.O_CREAT | os.O_WRONLY)\n"
                  "print(os.write(fd, bytes((1 << 20) + 1)))\n"
                  "try: os.write(fd, b'x'); print('BREACH size')\n"
                  "except OSError: os.close(fd)\n"
                  "held = []\n"
                  "try:\n"
                  "  while len(held) < 20: held.append(os.open('/tmp/a', 0))\n"
                  "except OSError: pass\n"
                  "print(len(held) + 3)\n"
                  "for fd in held: os.close(fd)\n"
                  "children = 0\n"
                  "try:\n"
                  "  while children < 20:\n"
                  "    if os.fork() == 0: os.execvp('sleep', ['sleep', '1000'])\n"
                  "    children += 1\n"
                  "except OSError: pass\n"
                  "print(children + 1)\n"));
  EXPECT_EQ(done.out,
            "[(268435456, 268435456), (1048576, 1048576), (16, 16), (8, 8)] 30\n"
            "memory\n1048576\n16\n8\n")
      << done.err;
}

// proves: ELV-64, ELV-70
TEST_P(Snippet, SeesNoProcessButItsOwnAndChangesNothingOfTheKernel) {
  const Finished done = run(
      snippet("import os\n"
              "print(sorted(p for p in os.listdir('/proc') if p.isdigit()) == "
              "sorted([str(os.getpid())]), os.path.exists('/proc/kcore'))\n"
              "for name in ('sys/kernel/hostname', 'sys/vm/drop_caches', 'sysrq-trigger', 'x'):\n"
              "  try: open('/proc/' + name, 'w'); print('BREACH', name)\n"
              "  except OSError: pass\n"));
  EXPECT_EQ(done.out, "True False\n") << done.err;
}

// Somebody listens on this host's loopback, so that a connection which is let out is made, whether
// the host has an Internet or not.
// proves: ELV-61
TEST_P(Snippet, HasNoNetworkButADeviceThatIsDown) {
  const os::Fd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener.get(), 8), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const Finished done = run(snippet(
      cat("import socket\n"
          "print([l.split(':')[0].strip() for l in open('/proc/self/net/dev') if ':' in l])\n"
          "try: socket.create_connection(('127.0.0.1', ",
          ntohs(address.sin_port),
          "), 5); print('BREACH')\n"
          "except OSError: print('no network')\n")));
  EXPECT_EQ(done.out, "['lo']\nno network\n") << done.err;
  EXPECT_LT(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), 0);
}

// proves: ELV-52, ELV-69
TEST_P(Snippet, HasFortyEightMebibytesOfScratchSpaceAndLosesThemAfterwards) {
  const std::string fill =
      "import os\n"
      "print(os.listdir('/tmp'))\n"
      "full = 0\n"
      "try:\n"
      "  for i in range(60):\n"
      "    open(f'/tmp/{i}', 'wb').write(bytes(1 << 20)); full += 1\n"
      "except OSError as e: print(full, e.errno)\n";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(snippet(fill)).out, "[]\n48 28\n");
}

// proves: ELV-68
TEST_P(Snippet, ImportsFromTheOperatorsFolderAndCannotWriteThere) {
  const std::string libraries = folder() + "/libraries";
  ASSERT_TRUE(os::make_dirs(libraries, 0755).ok());
  ASSERT_TRUE(os::write_file_atomic(libraries + "/theirs.py", "answer = 42\n", 0644).ok());
  for (const std::string& open_to_all : {libraries, libraries + "/theirs.py"})
    std::filesystem::permissions(open_to_all, std::filesystem::perms::all);
  LaunchRequest launch = snippet(
      "import os, sys\n"
      "sys.path.insert(0, '/opt/sandbox')\n"
      "import theirs\n"
      "print(theirs.answer)\n"
      "for attempt in (lambda: open('/opt/sandbox/mine.py', 'w'),\n"
      "                lambda: open('/opt/sandbox/theirs.py', 'a'),\n"
      "                lambda: os.unlink('/opt/sandbox/theirs.py'),\n"
      "                lambda: os.mkdir('/opt/sandbox/folder')):\n"
      "  try: attempt(); print('BREACH')\n"
      "  except OSError as e: print(os.strerror(e.errno))\n");
  launch.mounts.push_back({libraries, "/opt/sandbox", contracts::MountMode::kReadOnly});
  const Finished done = run(launch);
  const std::string refused = "Read-only file system\n";
  EXPECT_EQ(done.out, "42\n" + refused + refused + refused + refused) << done.err;
}

// proves: ELV-63, ELV-71
TEST_P(Snippet, FindsEverythingElseAbsentOrReadOnly) {
  const Finished done =
      run(snippet("import os\n"
                  "for top in sorted(os.listdir('/')):\n"
                  "  if top in ('tmp', 'proc', 'dev'): continue\n"
                  "  for folder, _, _ in list(os.walk('/' + top))[:400]:\n"
                  "    try: open(folder + '/x', 'w'); print('BREACH', folder)\n"
                  "    except OSError: pass\n"
                  "for gone in ('/home', '/root', '/boot', '/mnt', '/srv', '/workspace'):\n"
                  "  if os.path.exists(gone) and os.listdir(gone): print('BREACH', gone)\n"
                  "print('mounts', len(open('/proc/self/mountinfo').read().split()) < 20)\n"));
  EXPECT_EQ(done.out, "mounts True\n") << done.err;
  EXPECT_EQ(done.result.value().status, SandboxStatus::kOk);
}

}  // namespace
}  // namespace paddock::adversarial
