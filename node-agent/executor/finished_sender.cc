#include "node-agent/executor/finished_sender.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/os/file.h"
#include "node-agent/executor/retrying_transport.h"

namespace paddock::executor {
namespace {

constexpr int64_t kToldAtOnce = 64 << 20;  // bytes that nobody hears of before they are all there

bool same(const contracts::Artifact& a, const contracts::Artifact& b) {
  return a.path == b.path && a.digest == b.digest && a.size == b.size &&
         a.executable == b.executable;
}

}  // namespace

void FinishedSender::send(artifacts::CollectRequest request, StopSignal& over) const {
  if (over.wait(ports_.config.look_every, StopKind::kCancel)) return;
  const auto root = os::open_root(folder_.workspace());
  if (!root) return;
  const Clock& clock = ports_.clock;
  FinishedRecord record = folder_.finished();
  if (record.since_ms == 0) record.since_ms = clock.wall().ms;
  artifacts::FinishedFiles files(std::move(request), ports_.config.finished, record.items);
  RetryingTransport controller(ports_.transport(), over, StopKind::kCancel, ports_.random);
  const auto ended = [&over] { return over.at_least(StopKind::kCancel); };
  for (Millis pause(0); !over.wait(pause, StopKind::kCancel);) {
    const MonoTime start = clock.mono();
    const Millis since = clock.wall() - WallTime{record.since_ms};
    const int64_t room = artifacts::allowance(ports_.config.finished, since) - record.spent;
    const auto news = files.look(root->get(), room, ended);
    pause = artifacts::pause_after(clock.mono() - start, ports_.config.look_every);
    if (news && !news->empty()) send(root->get(), *news, controller, files, record);
  }
}

// A file that cannot be sent as it was read has changed, and is looked at again later. If it can
// never be sent, the run's end says so.
void FinishedSender::send(int root, const std::vector<contracts::Artifact>& news, RunTransport& to,
                          artifacts::FinishedFiles& files, FinishedRecord& record) const {
  std::vector<contracts::Artifact> sent;
  int64_t bytes = 0;
  const auto tell = [&] {
    if (sent.empty()) return;
    const Status told = to.name_finished(assignment_.run_uid, {assignment_.attempt, sent});
    if (told) std::ranges::for_each(sent, [&](const auto& each) { files.sent(each); });
    sent.clear();
    bytes = 0;
    record.items.clear();
    for (const auto& [path, each] : files.known()) record.items.push_back(each);
    if (const Status stored = folder_.store(record); !stored)
      log_warn("what was sent of a run could not be noted", {{"error", stored.error().describe()}});
  };
  for (const contracts::Artifact& each : news) {
    const auto file = os::open_regular_beneath(root, each.path);
    if (!file) continue;
    record.spent += artifacts::cost_of(each.size);
    if (!to.upload_artifact(assignment_.run_uid, file->get(), each)) continue;
    sent.push_back(each);
    bytes += each.size;
    if (bytes >= kToldAtOnce) tell();
  }
  tell();
}

std::set<std::string> FinishedSender::there_already(const std::vector<contracts::Artifact>& all,
                                                    RunTransport& controller) const {
  std::vector<contracts::Artifact> known;
  for (const contracts::Artifact& each : folder_.finished().items) {
    const auto now = std::ranges::find(all, each.path, &contracts::Artifact::path);
    if (now != all.end() && same(*now, each)) known.push_back(each);
  }
  std::set<std::string> paths;
  if (known.empty() || !controller.name_finished(assignment_.run_uid, {assignment_.attempt, known}))
    return paths;
  for (contracts::Artifact& each : known) paths.insert(std::move(each.path));
  return paths;
}

}  // namespace paddock::executor
