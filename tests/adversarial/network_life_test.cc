// The broker of a run's network: floods, its death, its end, and a launcher that serves.
#include <signal.h>
#include <sys/wait.h>

#include "common/os/file.h"
#include "common/os/process.h"
#include "tests/adversarial/network_fixture.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;

class NetworkLife : public Networked<SandboxTest> {
 protected:
  // Gives a script time that has two thousand things to do.
  Finished patiently(std::vector<std::string> domains, const std::string& code) {
    contracts::LaunchRequest launch = script(std::move(domains), code);
    launch.policy.limits.wall_time = wire::Duration{Millis(600'000)};
    const Finished done = run(launch);
    EXPECT_EQ(done.result.value().status, SandboxStatus::kOk) << done.result->reason << done.err;
    return done;
  }
};
INSTANTIATE_TEST_SUITE_P(, NetworkLife, testing::Values(As::kRoot, As::kUser), name_of);

// The launcher's child that is its broker; 0 without one.
pid_t broker_of(pid_t launcher) {
  const auto text = os::read_file(cat("/proc/", launcher, "/task/", launcher, "/children"));
  if (!text.ok()) return 0;
  for (const std::string& word : split(*text, ' ')) {
    const auto words = os::read_file(cat("/proc/", word, "/cmdline"));
    const auto pid = parse_integer<pid_t>(word);
    if (pid && words.ok() && words->find(std::string("\0broker\0", 8)) != std::string::npos)
      return *pid;
  }
  return 0;
}

TEST_P(NetworkLife, AFloodIsBoundedAndStillTold) {
  const int port = outside_.serve(outside_.address(), 0, "x", true);
  const Finished done = patiently({cat("web.test:", port), "*.many.test"}, cat(R"(
held, lost = [], 0
for i in range(560):
    s = socket.socket()
    try:
        s.settimeout(300)
        s.connect(('web.test', )",
                                                                               port, R"())
        s.sendall(b'x')
        assert s.recv(1) == b'x'
        held.append(s)
    except (OSError, AssertionError): lost += 1
print(len(held), lost)
for i in range(400):
    for name in (f'n{i}.many.test', f'n{i}.evil.test'):
        try: socket.gethostbyname(name)
        except OSError: pass
)"));
  EXPECT_EQ(done.out, "512 48\n");
  EXPECT_TRUE(find_denial(done, "network connect", cat("web.test:", port))) << denials_of(done);
  EXPECT_LE(done.result->denials.size(), 600u);
  int64_t lookups = 0;
  for (const contracts::Denial& denial : done.result->denials)
    if (denial.what == "name lookup") lookups += denial.count;
  EXPECT_GE(lookups, 400);
  EXPECT_LE(outside_.connections(outside_.address()), 512);
}

TEST_P(NetworkLife, EndsWithItsBrokerAndTheResultSaysSo) {
  Launched launched = start(script({"web.test"}, R"(
print(ask('web.test', 80, get('web.test')), flush=True)
while not __import__('os').path.exists('/workspace/go'): time.sleep(0.01)
print(ask('web.test', 80, get('web.test')))
)"));
  ASSERT_TRUE(launched.wait_for_output("web!"));
  const pid_t broker = broker_of(launched.pid());
  ASSERT_GT(broker, 0);
  ASSERT_EQ(kill(broker, SIGKILL), 0);
  ASSERT_TRUE(os::write_file_atomic(workspace() + "/go", "", 0644).ok());
  const Finished done = launched.wait();
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
  EXPECT_EQ(outside_.connections(outside_.address()), 1);
  const contracts::Denial* denial = find_denial(done, "network", "every name");
  ASSERT_NE(denial, nullptr) << denials_of(done);
  EXPECT_THAT(denial->rule, HasSubstr("broker ended"));
  EXPECT_THAT(done.result->enforced.at("network").details, HasSubstr("broker ended"));
  EXPECT_FALSE(process_exists(broker));
}

TEST_P(NetworkLife, LeavesNoBrokerBehind) {
  const std::string go = workspace() + "/go";
  for (const int signal : {SIGTERM, SIGKILL, 0}) {
    Launched launched = start(script({"web.test"}, R"(
print('up', flush=True)
while not __import__('os').path.exists('/workspace/go'): time.sleep(0.01)
)"));
    ASSERT_TRUE(launched.wait_for_output("up"));
    const pid_t broker = broker_of(launched.pid());
    ASSERT_GT(broker, 0);
    const auto identity = os::identify(broker);
    ASSERT_TRUE(identity);
    if (signal == 0) {
      ASSERT_TRUE(os::write_file_atomic(go, "", 0644).ok());
    } else {
      kill(launched.pid(), signal);
    }
    if (signal == SIGKILL) {
      waitpid(launched.pid(), nullptr, 0);  // its cgroup is the next launcher's to remove
    } else {
      EXPECT_TRUE(launched.wait().result);
    }
    EXPECT_TRUE(os::wait_gone(*identity, 300'000)) << signal;
  }
}

// A server's processes are in an empty network: the broker goes back to the host's.
class ServedNetwork : public Networked<ServeTest> {};
INSTANTIATE_TEST_SUITE_P(, ServedNetwork, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(ServedNetwork, IsTheSame) {
  for (int i = 0; i < 2 * kReady; ++i) {
    const Finished done = python_with(
        {"web.test"}, "print(ask('web.test', 80, get('web.test'))[-4:], ask('1.1.1.1', 80, b''))");
    EXPECT_EQ(done.out, "web! OSError\n");
    EXPECT_TRUE(find_denial(done, "network connect", "1.1.1.1:80"));
  }
  const Finished without = python("import socket; socket.create_connection(('127.0.0.1', 80))");
  EXPECT_THAT(without.err, HasSubstr("refused")) << "the broker's listener of another run";
}

}  // namespace
}  // namespace paddock::adversarial
