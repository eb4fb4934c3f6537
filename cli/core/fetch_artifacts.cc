#include "cli/core/fetch_artifacts.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <thread>

#include "cli/core/progress.h"
#include "common/base/guarded.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr size_t kLanes = 4;
constexpr Millis kRedraw{100};

// Shared by the lanes.
struct Work {
  const http::Endpoint& endpoint;
  const RunRef& run;
  const std::vector<contracts::Artifact>& artifacts;
  int folder;
  std::atomic<size_t> next{0};
  std::atomic<int64_t> done{0};
  std::atomic<bool> failed{false};
  struct State {
    size_t lanes_left = 0;
    std::optional<Error> error;
  };
  Guarded<State> state{};
  std::condition_variable changed{};
};

Status fetch_one(client::ControllerClient& client, const Work& work,
                 const contracts::Artifact& artifact) {
  TRY(os::make_parents_beneath(work.folder, artifact.path));
  return client.download_artifact(work.run.name_space, work.run.name, artifact, work.folder,
                                  artifact.path);
}

void lane(Work& work) {
  client::ControllerClient client(work.endpoint);
  for (size_t i = work.next++; i < work.artifacts.size() && !work.failed; i = work.next++) {
    Status fetched = fetch_one(client, work, work.artifacts[i]);
    if (fetched.ok()) {
      ++work.done;
      continue;
    }
    work.failed = true;
    work.state.with([&](Work::State& state) {
      if (!state.error)
        state.error = fetched.error().within(cat("fetching ", work.artifacts[i].path));
    });
  }
  work.state.with([](Work::State& state) { --state.lanes_left; });
  work.changed.notify_all();
}

}  // namespace

Result<Fetched> fetch_artifacts(const http::Endpoint& endpoint, const RunRef& run,
                                const std::vector<contracts::Artifact>& artifacts,
                                const std::string& folder, const Env& env) {
  if (artifacts.empty()) return Fetched{};
  TRY(os::make_dirs(folder, 0755));
  ASSIGN_OR_RETURN(const os::Fd root, os::open_root(folder));
  Work work{endpoint, run, artifacts, root.get()};
  const size_t lanes = std::min(kLanes, artifacts.size());
  work.state.with([&](Work::State& state) { state.lanes_left = lanes; });
  std::vector<std::thread> threads;
  for (size_t i = 0; i < lanes; ++i) threads.emplace_back([&work] { lane(work); });
  const auto total = static_cast<int64_t>(artifacts.size());
  {
    ProgressDisplay progress(env.err, "artifacts");
    const auto finished = [](const Work::State& state) { return state.lanes_left == 0; };
    const auto answer = [](const Work::State&, bool in_time) { return in_time; };
    while (!work.state.wait_for(work.changed, kRedraw, finished, answer)) {
      progress.show({work.done, total, ""}, env.clock.mono());
    }
  }
  for (std::thread& thread : threads) thread.join();
  const auto error = work.state.with([](const Work::State& state) { return state.error; });
  if (error) return *error;
  Fetched fetched{total, 0};
  for (const contracts::Artifact& artifact : artifacts) fetched.bytes += artifact.size;
  return fetched;
}

}  // namespace paddock::cli
