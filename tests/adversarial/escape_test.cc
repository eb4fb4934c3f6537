// Ways out of the sandbox: one program each, all of which must find the door shut.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "common/os/file.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;

class Escape : public SandboxTest {};
INSTANTIATE_TEST_SUITE_P(, Escape, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Escape, FindsNoForgottenDescriptor) { expect_contained("descriptors"); }
TEST_P(Escape, ReachesNoProcessOfTheLauncher) { expect_contained("launcher_process"); }

TEST_P(Escape, ChangesNoProgramThatRunsIt) {
  const auto before = os::read_file(launcher());
  ASSERT_TRUE(before.ok());
  expect_contained("self_exe");
  EXPECT_TRUE(os::read_file(launcher()).value() == before.value()) << "the launcher's file";
}

TEST_P(Escape, MakesNoNamespace) { expect_contained("namespaces"); }
// proves: ORB-36, ORB-40, ORB-41, ORB-53
TEST_P(Escape, MountsNothingAndWritesNowhereElse) { expect_contained("mounts"); }

TEST_P(Escape, ReachesNoObscurePartOfTheKernelAndWhatItTriedIsTold) {
  const Finished done = expect_contained("kernel_surface");
  ASSERT_TRUE(done.result);
  for (const char* call : {"bpf", "perf_event_open", "userfaultfd", "keyctl", "open_by_handle_at",
                           "syslog", "clock_settime", "mknodat"}) {
    EXPECT_TRUE(std::ranges::any_of(done.result->denials, [&](const contracts::Denial& denial) {
      return denial.what == "system call" && denial.target == call &&
             denial.executable == "/probes/kernel_surface" && !denial.rule.empty();
    })) << call;
  }
  int64_t devices = 0;
  for (const contracts::Denial& denial : done.result->denials) {
    if (denial.target == "mknodat") devices += denial.count;
  }
  EXPECT_EQ(devices, 3) << "a set-id bit hides none";
}

TEST_P(Escape, ReadsAndChangesNothingInProc) { expect_contained("proc_files"); }
TEST_P(Escape, LeavesNoSetIdProgramBehind) { expect_contained("set_id"); }
TEST_P(Escape, TypesIntoNoTerminal) { expect_contained("terminal"); }

// proves: ORB-49, ORB-54
TEST_P(Escape, ReachesNoNetworkAndEachAttemptIsNamed) {
  contracts::LaunchRequest closed = request(probe("network"));
  closed.policy.network = contracts::NetworkPolicy{.loopback = false};
  const Finished done = run(closed);
  ASSERT_TRUE(done.result);
  EXPECT_THAT(done.out, HasSubstr("CONTAINED")) << done.out << done.err;
  EXPECT_EQ(done.result->enforced.at("network").requested, wire::Value("none"));
  const auto named = [&](std::string what, std::string target, std::string rule) {
    return std::ranges::any_of(done.result->denials, [&](const contracts::Denial& denial) {
      return denial.what == what && denial.target == target && denial.rule == rule &&
             denial.executable == "/probes/network" && !denial.remedy.empty();
    });
  };
  EXPECT_TRUE(named("network connect", "1.1.1.1:443", "network.enabled=false"));
  EXPECT_TRUE(named("network connect", "169.254.169.254:443", "network.enabled=false"));
  EXPECT_TRUE(named("network send", "1.1.1.1:443", "network.enabled=false"));
  // What stays inside has a switch of its own, which opens nothing else.
  EXPECT_TRUE(named("network connect", "[::1]:80", "network.loopback=false"));
  EXPECT_TRUE(named("network listen", "0.0.0.0:0", "network.loopback=false"));
}

// urllib3 asks so when it is imported, and Go when a program first uses a network: a run in which
// all goes well has no denial. A server is one, by either family.
TEST_P(Escape, IsToldThatThereIsNoIpv6AndNoDenialIsMadeOfTheQuestion) {
  if (!os::Fd(socket(AF_INET6, SOCK_STREAM, 0)).valid()) GTEST_SKIP() << "no IPv6 on this host";
  contracts::LaunchRequest closed = request({"python3", "-c", R"(
import errno, socket, sys
def tried(call, *words):
    try: call(*words); return 'BREACH'
    except OSError as error: return errno.errorcode[error.errno]
kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM)
for host in ('::1', '::ffff:127.0.0.1'):
    print(*(tried(socket.socket(socket.AF_INET6, kind).bind, (host, 0)) for kind in kinds))
if len(sys.argv) == 1: sys.exit()
asked = socket.socket(socket.AF_INET6)
tried(asked.bind, ('::1', 0))
server = socket.socket(socket.AF_INET6)
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
print(tried(asked.listen), tried(server.bind, ('::1', 0)),
      tried(socket.socket(socket.AF_INET6).bind, ('::1', 80)), tried(socket.socket().bind, ('127.0.0.1', 0)))
)"});
  closed.policy.network = contracts::NetworkPolicy{.loopback = false};
  const std::string asked = "EADDRNOTAVAIL EADDRNOTAVAIL\nEADDRNOTAVAIL EADDRNOTAVAIL\n";
  const Finished asks = run(closed);
  ASSERT_TRUE(asks.result);
  EXPECT_EQ(asks.out, asked) << asks.err;
  EXPECT_TRUE(asks.result->denials.empty());
  closed.command.emplace_back("serves");
  const Finished serves = run(closed);
  ASSERT_TRUE(serves.result);
  EXPECT_EQ(serves.out, asked + "EACCES EACCES EACCES EACCES\n") << serves.err;
  std::vector<std::string> named;
  for (const contracts::Denial& denial : serves.result->denials) named.push_back(denial.target);
  EXPECT_THAT(named, testing::UnorderedElementsAre("[::]:0", "[::1]:0", "[::1]:80", "127.0.0.1:0"));
}

// proves: ORB-50, ORB-51, ORB-52, ORB-55, ORB-12, ORB-122, ORB-127
TEST_P(Escape, SeesNothingOfTheHostBesideTheSystem) {
  ASSERT_EQ(mkdir((folder() + "/other-run").c_str(), 0777), 0);
  ASSERT_TRUE(os::write_file_atomic(folder() + "/other-run/secret", "x", 0666).ok());
  expect_contained("secrets",
                   {folder() + "/other-run/secret", folder(), launcher(), "/proc/1/cwd"});
}

TEST_P(Escape, ReachesNoUnixSocketOfTheHost) {
  const std::string path = folder() + "/s";
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  chmod(path.c_str(), 0777);
  // And one in the abstract namespace, which no folder hides.
  const int abstract = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un unnamed = address;
  unnamed.sun_path[0] = '\0';
  ASSERT_EQ(bind(abstract, reinterpret_cast<const sockaddr*>(&unnamed),
                 static_cast<socklen_t>(sizeof(sa_family_t) + path.size())),
            0);
  ASSERT_EQ(listen(abstract, 1), 0);
  const Finished done =
      python(cat("import socket\nfor name in ('", path, "', '\\0", path.substr(1), "'):\n",
                 "  try:\n    socket.socket(socket.AF_UNIX).connect(name); print('BREACH')\n",
                 "  except OSError: print('closed')\n"));
  EXPECT_EQ(done.out, "closed\nclosed\n") << done.err;
  close(listener);
  close(abstract);
}

// proves: VLT-49
TEST_P(Escape, DiesOfACallThatNoHonestProgramMakes) {
  for (const char* call : {"reboot", "kexec", "module", "x32", "i386"}) {
    const Finished done = run(probe("forbidden", {call}));
    ASSERT_TRUE(done.result) << call;
    if (std::string_view(call) == "i386" && done.result->rc == 139)
      continue;  // a kernel without 32-bit calls
    EXPECT_EQ(done.result->status, SandboxStatus::kForbiddenSyscall) << call << ": " << done.out;
    EXPECT_EQ(done.result->rc, 159);
    EXPECT_EQ(done.result->code, "E_CAPABILITY_DENIED");
    EXPECT_FALSE(done.result->denials.empty());
  }
}

// What admission refuses for a run of type compute is handed to the launcher as it is.
// proves: ORB-56, ORB-05
TEST_P(Escape, HoldsWhateverAdmissionWouldHaveRefused) {
  const std::string shell =
      "cat /etc/shadow /root/.ssh/id_rsa ~root/.bashrc && echo BREACH; "
      "echo x > /usr/bin/x && echo BREACH; echo x > ../../../etc/x && echo BREACH; "
      "(exec 3<>/dev/tcp/1.1.1.1/80) && echo BREACH; cat /proc/1/environ && echo BREACH; "
      "ln -s / root && cat root/etc/shadow && echo BREACH; kill -9 -1; echo end";
  const std::string python =
      "import ctypes, os\n"
      "for path in ('/etc/shadow', '../../../etc/shadow', '/proc/1/mem', '/dev/mem'):\n"
      "  try: open(path, 'rb').read(1); print('BREACH', path)\n"
      "  except OSError: pass\n"
      "if ctypes.CDLL(None).mount(b'none', b'/', b'tmpfs', 0, None) == 0: print('BREACH mount')\n"
      "print('end')\n";
  const std::vector<std::vector<std::string>> commands = {
      {"bash", "-c", shell},
      {"bash", "-xc", shell},
      {"env", "-i", "bash", "-c", shell},
      {"python3", "-Ic", python},
      {"perl", "-e", "exec 'cat', '/etc/shadow'"},
      {"python3", "-c", python},
      {"/bin/sh", "-c", "cat /etc/shadow | tee x; echo end"},
      {"cat", "../../etc/shadow"},
      {"python3", "/etc/shadow"}};
  for (const auto& command : commands) {
    const Finished done = run(command);
    ASSERT_TRUE(done.result) << join(command, " ");
    EXPECT_TRUE(done.started) << command[0];
    EXPECT_THAT(done.out, testing::Not(HasSubstr("BREACH"))) << done.out;
    EXPECT_THAT(done.out, testing::Not(HasSubstr("root:"))) << done.out;
    EXPECT_TRUE(done.result->rc != 0 || done.out.find("end") != std::string::npos) << command[0];
  }
}

TEST_P(Escape, CannotMountThroughALinkInItsOwnWorkspace) {
  ASSERT_EQ(symlink("/etc", (workspace() + "/data").c_str()), 0);
  contracts::LaunchRequest launch = request({"true"});
  launch.mounts.push_back(
      {folder() + "/probes", "/workspace/data/x", contracts::MountMode::kReadOnly});
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kInternalError);
  EXPECT_FALSE(done.started);
}

// proves: ORB-37, ORB-38, ORB-45, ORB-46
TEST_P(Escape, WritesItsWorkspaceAndTmpAndNotAReadOnlyMount) {
  const Finished done = run(
      std::vector<std::string>{"sh", "-c",
                               "echo kept > /workspace/file && echo x > \"$TMPDIR/file\" && echo y "
                               "> /dev/shm/file && ! touch /probes/x 2>/dev/null && echo ok"});
  EXPECT_EQ(done.out, "ok\n") << done.err;
  EXPECT_EQ(os::read_file(workspace() + "/file").value(), "kept\n");
  struct stat made {};
  struct stat owner {};
  ASSERT_EQ(stat((workspace() + "/file").c_str(), &made), 0);
  ASSERT_EQ(stat(workspace().c_str(), &owner), 0);
  EXPECT_EQ(made.st_uid, owner.st_uid);
  const Finished next = run(std::vector<std::string>{"sh", "-c", "ls -A /tmp /dev/shm"});
  EXPECT_EQ(next.out, "/dev/shm:\n\n/tmp:\n");
}

TEST_P(Escape, CannotTakeADeviceOrFifoAsAMountSource) {
  ASSERT_EQ(mkfifo((folder() + "/fifo").c_str(), 0666), 0);
  contracts::LaunchRequest launch = request({"true"});
  launch.mounts.push_back({folder() + "/fifo", "/data", contracts::MountMode::kReadOnly});
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kInternalError);
  EXPECT_THAT(done.result->reason, HasSubstr("/data"));
  EXPECT_EQ(done.result->reason.find(folder()), std::string::npos) << "a host path leaves";
}

}  // namespace
}  // namespace paddock::adversarial
