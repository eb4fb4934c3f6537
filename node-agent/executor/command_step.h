// The step that says what is executed: the command line, its variables, its user and its streams.
#pragma once

#include <map>
#include <string>

#include "node-agent/executor/environment_step.h"
#include "node-agent/executor/step.h"

namespace paddock::executor {

class CommandStep final : public Step {
 public:
  // `environment` stands before this one: whether it has a Python, some variables say.
  CommandStep(const StepContext& run, const EnvironmentStep& environment)
      : run_(run), environment_(environment) {}

  Status prepare() override;
  Status add(contracts::LaunchRequest& request) override;

 private:
  void add_streams(contracts::LaunchRequest& request) const;

  const StepContext& run_;
  const EnvironmentStep& environment_;
  std::map<std::string, std::string> variables_;
};

}  // namespace paddock::executor
