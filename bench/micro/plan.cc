// What a launcher decides before it does anything: a policy and a host become a plan and filters.
#include "node-agent/sandbox/plan/plan.h"

#include <sys/resource.h>

#include <benchmark/benchmark.h>

#include "common/contracts/sandbox_policy.h"
#include "node-agent/sandbox/linux/seccomp/seccomp_program.h"

namespace paddock::bench {
namespace {

sandbox::HostFacts host() {
  sandbox::HostFacts out;
  out.privileged = true;
  out.kernel_major = 6;
  out.hard_open_files = out.hard_file_size = out.hard_address_space = out.hard_data = RLIM_INFINITY;
  out.cgroup.version = sandbox::CgroupFacts::Version::kV2;
  out.system = {{"/usr", ""}, {"/bin", "usr/bin"}};
  return out;
}

contracts::LaunchRequest request() {
  contracts::LaunchRequest out;
  out.trace_id = "bench";
  out.command = {"true"};
  out.workdir = "/workspace";
  out.policy = *contracts::profile_policy("test");
  out.mounts = {{"/srv/run/ws", "/workspace", contracts::MountMode::kReadWrite}};
  return out;
}

void make_plan(benchmark::State& state) {
  const auto launch = request();
  const auto facts = host();
  for (auto _ : state) benchmark::DoNotOptimize(sandbox::make_plan(launch, facts));
}
BENCHMARK(make_plan);

// Once per launcher, not per run.
void render_seccomp_filters(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sandbox::render_filters({}));
}
BENCHMARK(render_seccomp_filters);

}  // namespace
}  // namespace paddock::bench
