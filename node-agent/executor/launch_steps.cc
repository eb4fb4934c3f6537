#include "node-agent/executor/launch_steps.h"

#include "common/contracts/homes.h"
#include "node-agent/executor/retrying_transport.h"

namespace paddock::executor {

std::unique_ptr<RunTransport> StepContext::transport(StopKind give_up) const {
  return std::make_unique<RetryingTransport>(ports.transport(), stop, give_up, ports.random);
}

LaunchSteps::LaunchSteps(const StepContext& run)
    : workspace_(run),
      volumes_(run),
      environment_(run, workspace_),
      code_(run),
      command_(run, environment_),
      secrets_(run),
      tool_token_(run),
      tool_bundle_(run),
      judge_(run),
      processors_(run),
      accelerators_(run),
      steps_(in_order(run.assignment.spec.type == contracts::RunType::kCode)) {}

// Steps that take long come first. Secrets, and what other runs wait for, are asked for at the last
// moment.
std::vector<Step*> LaunchSteps::in_order(bool is_code) {
  std::vector<Step*> steps;
  if (is_code) {
    steps = {&code_};
  } else {
    steps = {&workspace_, &volumes_, &environment_};
  }
  // A variable or command of one of these gives way to those of the steps behind it; processors and
  // accelerators leave alone what is set.
  const std::vector<Step*> rest = {&command_, &secrets_,    &tool_token_,  &tool_bundle_,
                                   &judge_,   &processors_, &accelerators_};
  steps.insert(steps.end(), rest.begin(), rest.end());
  return steps;
}

Status LaunchSteps::prepare() {
  for (Step* const step : steps_) TRY(step->prepare());
  return {};
}

Result<contracts::LaunchRequest> LaunchSteps::request() {
  contracts::LaunchRequest request;
  for (Step* const step : steps_) TRY(step->add(request));
  request.scratch_folders = contracts::own_folders(request.env);
  return request;
}

void LaunchSteps::take_again() {
  for (Step* const step : steps_) step->take_again();
}

void LaunchSteps::undo() {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) (*step)->undo();
}

}  // namespace paddock::executor
