// Which files of a run are finished while it lives: its checkpoints. A file is finished if it is
// the same at two looks, nobody has it open for writing at the second one, and it was not changed
// while it was read. Nothing here waits; the caller decides when to look. Only one thread uses it.
//
// The programs that write there are hostile: what one look keeps is bounded by `entries` and their
// names, what all files of it cost the controller by `allowance`, and how often to look by
// `pause_after`.
#pragma once

#include <map>

#include "node-agent/artifacts/collect.h"
#include "node-agent/artifacts/stamp.h"

namespace paddock::artifacts {

struct FinishedLimits {
  // Looked at in one look; what is behind them is not.
  int64_t entries = 20'000;
  int64_t entry_names = 4 << 20;  // bytes of their paths
  int64_t kept_names = 8 << 20;   // as in CollectLimits
  // How much may be sent of one attempt while it runs: `bytes` at once, and `bytes_an_hour` more
  // for each hour. Each version of a file counts, and as 1 MiB at least.
  int64_t bytes = int64_t{16} << 30;
  int64_t bytes_an_hour = int64_t{4} << 30;
};

// The cost of sending a file of so many bytes.
int64_t cost_of(int64_t bytes);
int64_t allowance(const FinishedLimits& limits, Millis since_start);
// Looks take a twentieth of one processor at most.
Millis pause_after(Millis look, Millis every);

class FinishedFiles {
 public:
  // `known`: what was sent before, by an earlier agent.
  FinishedFiles(CollectRequest request, const FinishedLimits& limits,
                const std::vector<contracts::Artifact>& known);

  // Files that are finished and not sent as they are, together at most `room` as counted by
  // cost_of(). Each is told once, whether or not it can be sent: again only when it was changed.
  // INTERRUPTED as for collect().
  Result<std::vector<contracts::Artifact>> look(int root, int64_t room,
                                                const std::function<bool()>& interrupted);
  void sent(const contracts::Artifact& artifact);
  // The files by path, each as it was sent last.
  const std::map<std::string, contracts::Artifact>& known() const { return known_; }

 private:
  bool due(const std::string& path, const struct stat& stat);
  bool is_news(const contracts::Artifact& found) const;
  bool has_place(const contracts::Artifact& found) const;

  CollectRequest request_;
  const FinishedLimits limits_;
  std::map<std::string, Stamp> before_, now_;  // at the last look and at this one
  std::map<std::string, Stamp> judged_;        // files that were looked into
  std::map<std::string, contracts::Artifact> known_;
  size_t names_ = 0;       // bytes of their paths
  int64_t looked_at_ = 0;  // bytes of the paths of now_
};

}  // namespace paddock::artifacts
