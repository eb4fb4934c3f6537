#include "node-agent/artifacts/finished_files.h"

#include <algorithm>

#include "common/contracts/finished_artifacts.h"

namespace paddock::artifacts {
namespace {

constexpr int64_t kLeastCost = 1 << 20;
constexpr int kShare = 20;

}  // namespace

int64_t cost_of(int64_t bytes) { return std::max(bytes, kLeastCost); }

int64_t allowance(const FinishedLimits& limits, Millis since_start) {
  constexpr auto kHour = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::hours(1));
  const auto seconds =
      std::max(std::chrono::seconds(0), std::chrono::floor<std::chrono::seconds>(since_start));
  return limits.bytes + limits.bytes_an_hour / kHour.count() * seconds.count();
}

Millis pause_after(Millis look, Millis every) { return std::max(every, look * (kShare - 1)); }

FinishedFiles::FinishedFiles(CollectRequest request, const FinishedLimits& limits,
                             const std::vector<contracts::Artifact>& known)
    : request_(std::move(request)), limits_(limits) {
  for (const contracts::Artifact& each : known) sent(each);
  request_.due = [this](const std::string& path, const struct stat& stat) {
    return due(path, stat);
  };
}

// A file is looked into at the second look that finds it the same, and never again as it is.
bool FinishedFiles::due(const std::string& path, const struct stat& stat) {
  const auto bytes = static_cast<int64_t>(path.size());
  if (static_cast<int64_t>(now_.size()) >= limits_.entries ||
      looked_at_ + bytes > limits_.entry_names)
    return false;
  looked_at_ += bytes;
  const Stamp& stamp = now_[path] = Stamp(stat);
  const auto judged = judged_.find(path);
  if (judged != judged_.end() && judged->second == stamp) return false;
  const auto before = before_.find(path);
  return before != before_.end() && before->second == stamp;
}

bool FinishedFiles::is_news(const contracts::Artifact& found) const {
  const auto known = known_.find(found.path);
  return known == known_.end() || known->second.digest != found.digest ||
         known->second.executable != found.executable;
}

bool FinishedFiles::has_place(const contracts::Artifact& found) const {
  return known_.contains(found.path) ||
         (known_.size() < contracts::kMaxFinishedArtifacts &&
          names_ + found.path.size() <= contracts::kMaxFinishedNames);
}

Result<std::vector<contracts::Artifact>> FinishedFiles::look(
    int root, int64_t room, const std::function<bool()>& interrupted) {
  now_.clear();
  looked_at_ = 0;
  const CollectLimits limits{.files = limits_.entries,
                             .bytes = std::max<int64_t>(0, room),
                             .kept_names = limits_.kept_names};
  ASSIGN_OR_RETURN(Collected collected, collect(root, request_, limits, interrupted));
  before_.swap(now_);
  std::erase_if(judged_, [this](const auto& each) { return !before_.contains(each.first); });
  for (const std::string& path : collected.unchanged) judged_[path] = before_[path];
  std::vector<contracts::Artifact> out;
  for (contracts::Artifact& found : collected.artifacts) {
    judged_[found.path] = before_[found.path];
    if (!is_news(found) || !has_place(found) || cost_of(found.size) > room) continue;
    room -= cost_of(found.size);
    out.push_back(std::move(found));
  }
  return out;
}

void FinishedFiles::sent(const contracts::Artifact& artifact) {
  if (!known_.contains(artifact.path)) names_ += artifact.path.size();
  known_[artifact.path] = artifact;
}

}  // namespace paddock::artifacts
