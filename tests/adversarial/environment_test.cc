// What a command finds: its exact variables, its identity, and a policy that it may read.
#include <algorithm>

#include "common/wire/json.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

class Environment : public SandboxTest {};
INSTANTIATE_TEST_SUITE_P(, Environment, testing::Values(As::kRoot, As::kUser), name_of);

// proves: ORB-57, ORB-58, ORB-59, ORB-60, ORB-61, ORB-62, ORB-63, ORB-64, ORB-32, ORB-124
TEST_P(Environment, IsExactlyTheMinimalSet) {
  const Finished done = run(std::vector<std::string>{"env"});
  std::vector<std::string> lines = split(done.out, '\n');
  std::ranges::sort(lines);
  EXPECT_EQ(
      join(lines, "\n"),
      "\nHOME=/workspace\nLANG=en_US.UTF-8\nPATH=/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin\n"
      "PYTHONPATH=\nTMPDIR=/tmp");
}

// proves: ORB-39, ORB-47, ORB-48
TEST_P(Environment, RunsAnInterpreterThatStartsProcesses) {
  const Finished done = python(
      "import os, subprocess, tempfile, multiprocessing, ssl, sqlite3\n"
      "print(os.getuid(), os.getgid(), os.getcwd(), os.uname().nodename)\n"
      "print(subprocess.run(['sh', '-c', 'echo child'], capture_output=True, text=True).stdout, "
      "end='')\n"
      "print(os.path.dirname(tempfile.mkdtemp()), multiprocessing.cpu_count() > 0)\n");
  EXPECT_EQ(done.out, "1000 1000 /workspace sandbox\nchild\n/tmp True\n") << done.err;
}

// proves: VLT-24
TEST_P(Environment, ShowsTheEffectivePolicyOfTheResultWithoutHostPaths) {
  contracts::LaunchRequest launch = request({"sh", "-c",
                                             "cat /run/paddock/policy.json; cd /run/paddock; "
                                             "{ rm policy.json || echo x >> policy.json || "
                                             "touch other; } 2>/dev/null && echo BREACH"});
  launch.policy.host_mounts = {{folder() + "/probes", "/data", contracts::MountMode::kReadOnly}};
  launch.policy.env["FROM_THE_POLICY"] = "1";
  const Finished done = run(launch);
  ASSERT_TRUE(done.result && done.result->policy);
  EXPECT_EQ(done.out.find(folder()), std::string::npos);
  const auto inside = wire::parse_json(done.out);
  ASSERT_TRUE(inside.ok()) << done.out;
  wire::Value expected = wire::encode(*done.result->policy);
  expected.find("hostMounts")->array()->at(0).set("hostPath", "hidden");
  EXPECT_EQ(wire::to_pretty_json(*inside), wire::to_pretty_json(expected));
  EXPECT_EQ(wire::encode(launch.policy), wire::encode(*done.result->policy));
  for (const char* capability : {"filesystem", "network", "memory", "pids", "syscalls", "wallTime"})
    EXPECT_TRUE(done.result->enforced.contains(capability)) << capability;
}

TEST_P(Environment, HasItsPolicyInTheResultOfARefusalToo) {
  contracts::LaunchRequest launch = request({"true"});
  launch.policy.limits.command_bytes = wire::Quantity{1};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result && done.result->policy);
  EXPECT_FALSE(done.started);
  EXPECT_EQ(wire::encode(launch.policy), wire::encode(*done.result->policy));
}

// proves: VLT-112
// proves partly: VLT-06
TEST_P(Environment, HasNoCapabilityAndNoWayToOne) {
  const Finished done = run(std::vector<std::string>{
      "sh", "-c", "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status"});
  EXPECT_EQ(done.out,
            "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
            "CapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n");
}

}  // namespace
}  // namespace paddock::adversarial
