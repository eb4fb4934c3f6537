// The step that brings the run's volumes here. Nobody may write to them: with a cache of trees
// every run sees the same files, without one each run gets a copy.
#pragma once

#include <list>
#include <string>

#include "node-agent/executor/step.h"

namespace paddock::executor {

// Holds their trees in the cache from its making on, as long as the run has not ended.
class VolumeStep final : public Step {
 public:
  explicit VolumeStep(const StepContext& run);

  Status prepare() override;
  Status add(contracts::LaunchRequest& request) override;
  void undo() override { trees_.clear(); }

 private:
  std::string folder_of(const contracts::MountedVolume& volume) const;
  Status copy(const TreeSource& source, const contracts::MountedVolume& volume, TreeNews& news);

  const StepContext& run_;
  std::list<workspace::TreeCache::Pin> trees_;
};

}  // namespace paddock::executor
