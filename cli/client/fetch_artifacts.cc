#include "cli/client/fetch_artifacts.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <thread>

#include "cli/terminal/progress.h"
#include "common/base/first_error.h"
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
  Millis patience;
  std::atomic<size_t> next{0};
  std::atomic<int64_t> done{0};
  FirstError first_error{};  // nothing more can be fetched
  struct State {
    size_t lanes_left = 0;
    Fetched fetched{};
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

// An error of the connection or of the caller's rights is the same for every file, so it ends the
// whole fetch. A digest that does not match does not: the run still lives and has written that file
// again. Nor does a place here that may not be written.
bool ends_all(const Error& error) {
  if (is_one_of(error.reason, {"DIGEST_MISMATCH", "SYSTEM_ERROR"})) return false;
  return error.code == Code::kUnavailable || error.code == Code::kDeadlineExceeded ||
         error.code == Code::kUnauthenticated || error.code == Code::kPermissionDenied;
}

void lane(Work& work) {
  client::ControllerClient client(work.endpoint, work.patience);
  for (size_t i = work.next++; i < work.artifacts.size() && !work.first_error.failed();
       i = work.next++) {
    const contracts::Artifact& artifact = work.artifacts[i];
    Status fetched = fetch_one(client, work, artifact);
    ++work.done;
    const bool ends = !fetched.ok() && ends_all(fetched.error());
    work.state.with([&](Work::State& state) {
      if (fetched.ok()) {
        ++state.fetched.files;
        state.fetched.bytes += artifact.size;
      } else if (!ends) {
        state.fetched.failed.push_back({artifact.path, fetched.error().message});
      }
    });
    if (ends) work.first_error.keep(std::move(fetched).within(cat("fetching ", artifact.path)));
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
  Work work{endpoint, run, artifacts, root.get(), env.patience};
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
  TRY(work.first_error.status());
  return work.state.with([](Work::State& state) { return std::move(state.fetched); });
}

std::vector<contracts::Artifact> brought(const std::vector<contracts::Artifact>& artifacts,
                                         const Fetched& fetched) {
  std::vector<contracts::Artifact> out = artifacts;
  std::erase_if(out, [&](const contracts::Artifact& each) {
    return std::ranges::find(fetched.failed, each.path, &Cause::field) != fetched.failed.end();
  });
  return out;
}

Status all_fetched(const Fetched& fetched) {
  if (fetched.failed.empty()) return {};
  return Error{Code::kFailedPrecondition, "ARTIFACTS_NOT_WRITTEN",
               cat(fetched.failed.size(), fetched.failed.size() == 1 ? " file" : " files",
                   " could not be written; the others are there"),
               fetched.failed};
}

}  // namespace paddock::cli
