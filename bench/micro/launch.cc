// A launch, and the steps of one that its launcher makes. Needs PADDOCK_BIN_DIR for the whole ones,
// and root with Linux 6.15 for the steps; what cannot be had is left out, and says so.
#include <errno.h>

#include <cstdlib>
#include <memory>

#include <benchmark/benchmark.h>

#include "bench/sandbox/ways.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/linux/filesystem/new_mount.h"
#include "node-agent/sandbox/linux/launcher/launcher_context.h"
#include "node-agent/sandbox/linux/launcher/prepared_sandbox.h"
#include "node-agent/sandbox/linux/users/user_namespace.h"

namespace paddock::bench {
namespace {

using sandbox::LauncherContext;
using sandbox::PreparedSandbox;

void repeat(benchmark::State& state, const Way& way) {
  for (auto _ : state) {
    if (!way.run()) return state.SkipWithError("a run failed");
  }
}

// The processor time that is printed is this process's own, which waits.
void run_true(benchmark::State& state, Way (*choose)(Bench&)) {
  if (std::getenv("PADDOCK_BIN_DIR") == nullptr)
    return state.SkipWithError("PADDOCK_BIN_DIR is not set");
  Bench bench;
  repeat(state, choose(bench));
}

Way bare(Bench& bench) { return bench.bare({"/bin/true"}); }
Way warm(Bench& bench) { return bench.warm(bench.request({"/bin/true"})); }
Way cold(Bench& bench) { return bench.cold(bench.request({"/bin/true"})); }
BENCHMARK_CAPTURE(run_true, bare, bare)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_true, warm, warm)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_true, cold, cold)->UseRealTime()->Unit(benchmark::kMicrosecond);

// As a serving launcher makes it once for all of its runs; without a network to lend.
Result<std::unique_ptr<LauncherContext>> serving_launcher() {
  ASSIGN_OR_RETURN(LauncherContext made, sandbox::make_launcher_context());
  auto out = std::make_unique<LauncherContext>(std::move(made));
  if (!sandbox::launcher_makes_views(out->host))
    return system_error("views need root and Linux 6.15", EPERM);
  if (out->user) TRY(out->user->make_mappings());
  ASSIGN_OR_RETURN(auto shared, sandbox::SharedView::make(out->host));
  out->shared = std::move(shared);
  if (!sandbox::kernel_makes_proc_of_others()) return out;
  ASSIGN_OR_RETURN(auto root, sandbox::EmptyRoot::make());
  out->empty_root.emplace(std::move(root));
  return out;
}

template <class T>
Status whether(const Result<T>& made) {
  return made.ok() ? Status() : made.error();
}

void with_launcher(benchmark::State& state, Status (*step)(const LauncherContext&)) {
  const auto launcher = serving_launcher();
  if (!launcher.ok()) return state.SkipWithError(launcher.error().message.c_str());
  for (auto _ : state) {
    const Status done = step(**launcher);
    if (!done.ok()) return state.SkipWithError(done.error().message.c_str());
  }
}

// What a launcher does once: facts of the host, filters, a user.
Status context_of_a_launcher(const LauncherContext&) {
  return whether(sandbox::make_launcher_context());
}
// What a serving launcher does ahead of each run, and its end.
Status prepared_sandbox(const LauncherContext& launcher) {
  return whether(PreparedSandbox::prepare(launcher));
}
Status shared_view(const LauncherContext& launcher) {
  return whether(sandbox::SharedView::make(launcher.host));
}
Status cgroup(const LauncherContext& launcher) {
  return whether(sandbox::make_cgroup(launcher.host.cgroup, false, true));
}
Status network_namespace(const LauncherContext&) {
  return whether(sandbox::make_network_namespace());
}
BENCHMARK_CAPTURE(with_launcher, context, context_of_a_launcher)->UseRealTime();
BENCHMARK_CAPTURE(with_launcher, prepared, prepared_sandbox)->UseRealTime();
BENCHMARK_CAPTURE(with_launcher, shared_view, shared_view)->UseRealTime();
BENCHMARK_CAPTURE(with_launcher, cgroup, cgroup)->UseRealTime();
BENCHMARK_CAPTURE(with_launcher, network, network_namespace)->UseRealTime();

}  // namespace
}  // namespace paddock::bench
