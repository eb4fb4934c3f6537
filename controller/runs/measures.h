// The measurements that a change to a run gives the metrics. Pure.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "controller/runs/transitions.h"

namespace paddock::runs {

enum class Stage {
  kQueued,    // from its creation to its first node
  kStarting,  // from that node to the start of the command: files, environment, sandbox
  kRunning,   // the command, as its launcher measured it
  kTotal,     // from its creation to its end, however it ended
};
inline constexpr std::array<std::string_view, 4> kStageNames = {"queued", "starting", "running",
                                                                "total"};
struct StageTime {
  Stage stage;
  Millis took;
};

// What a sandbox refused, by the words of its denials. A node may say anything: what is none of
// these is kOther, so that there are no more series than these.
enum class DenialKind { kExecute, kNetwork, kName, kOther };
inline constexpr std::array<std::string_view, 4> kDenialNames = {"execute", "network", "name",
                                                                 "other"};
DenialKind denial_kind(const contracts::Denial& denial);
using DenialCounts = std::array<int64_t, kDenialNames.size()>;
DenialCounts denial_counts(const contracts::SandboxResult& result);

struct Measures {
  std::vector<StageTime> stages;
  DenialCounts denials{};
  bool empty() const { return stages.empty() && denials == DenialCounts{}; }
};

// `run` as it is after the change, and the events that the change put into its stream.
Measures measures_of(const contracts::Run& run, const Events& events);

}  // namespace paddock::runs
