// The same walls stand for a run that a server launched, and the server itself is out of reach.
#include <signal.h>

#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;

class ServeEscape : public ServeTest {};
INSTANTIATE_TEST_SUITE_P(, ServeEscape, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(ServeEscape, FindsNoForgottenDescriptor) { expect_contained("descriptors"); }
TEST_P(ServeEscape, ReachesNoProcessOfTheLauncher) { expect_contained("launcher_process"); }
TEST_P(ServeEscape, MakesNoNamespace) { expect_contained("namespaces"); }
TEST_P(ServeEscape, MountsNothingAndWritesNowhereElse) { expect_contained("mounts"); }
TEST_P(ServeEscape, ReachesNoObscurePartOfTheKernel) { expect_contained("kernel_surface"); }
TEST_P(ServeEscape, ReadsAndChangesNothingInProc) { expect_contained("proc_files"); }
TEST_P(ServeEscape, ReachesNoNetwork) {
  expect_contained("network", {"loopback"});
  contracts::LaunchRequest closed = request(probe("network"));
  closed.policy.network->loopback = false;
  EXPECT_THAT(run(closed).out, testing::HasSubstr("CONTAINED"));
}

TEST_P(ServeEscape, SignalsNobodyOutside) {
  wait_until_ready();
  const std::vector<pid_t> waiting = children_of(server());
  std::string script = "kill -KILL -1";
  for (const pid_t pid : waiting) script += cat("; kill -KILL ", pid, " 2>/dev/null");
  script += cat("; kill -KILL ", server(), " 2>/dev/null; echo ALIVE");
  EXPECT_EQ(run(std::vector<std::string>{"sh", "-c", script}).out, "ALIVE\n");
  int left = 0;
  for (const pid_t pid : waiting) left += process_exists(pid) ? 1 : 0;
  EXPECT_GE(left, kReady - 1);  // all but the one that ran it
  EXPECT_TRUE(process_exists(server()));
}

// What one run leaves in its network is not met by the next: its processes are dead, its sockets
// closed, and one in use is never lent again.
TEST_P(ServeEscape, MeetsNobodyInTheNetworkThatItIsLent) {
  const std::string meet =
      "import os, socket, sys\n"
      "s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)\n"
      "try: s.connect('\\0meeting'); print('MET')\n"
      "except OSError: print('ALONE')\n"
      "l = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)\n"
      "try: l.bind('\\0meeting'); l.listen()\n"
      "except OSError as e: print(e)\n"
      "sys.stdout.flush()\n";
  Launched holder = start(request({"python3", "-c", meet + "import time; time.sleep(1000)"}));
  ASSERT_TRUE(holder.wait_for_output("ALONE"));
  for (int i = 0; i < 2 * kReady; ++i) {
    EXPECT_EQ(python(meet + "if os.fork() == 0:\n  import time; time.sleep(1000)\n").out,
              "ALONE\n");
  }
  kill(holder.pid(), SIGTERM);
  EXPECT_EQ(holder.wait().result.value().status, SandboxStatus::kCanceled);
}

TEST_P(ServeEscape, TakesNothingFromTheServersOwnEnvironment) {
  const Finished done = run(std::vector<std::string>{"env"});
  EXPECT_EQ(done.out.find("SIGNING_KEY"), std::string::npos) << done.out;
}

}  // namespace
}  // namespace paddock::adversarial
