#include "node-agent/executor/judge_step.h"

#include "common/os/file.h"
#include "common/test_report/test_report.h"
#include "node-agent/executor/command_line.h"
#include "node-agent/executor/outcome.h"

namespace paddock::executor {

bool JudgeStep::is_judged() const {
  const contracts::RunSpec& spec = run_.assignment.spec;
  return spec.type == contracts::RunType::kTest && test_report::is_judged(spec.command.argv);
}

Status JudgeStep::prepare() {
  if (!is_judged()) return {};
  return test_report::prepare(folder(), run_.ports.config.sandbox_uid, run_.ports.random);
}

Status JudgeStep::add(contracts::LaunchRequest& request) {
  return is_judged() ? test_report::add_judge(folder(), request) : Status();
}

contracts::RunOutcome JudgeStep::outcome_of(contracts::SandboxResult result) const {
  // A run that an older agent launched has no judge. A folder that cannot be looked at is no proof
  // that there was no judge.
  const Result<bool> judged = os::is_there(folder());
  if (!is_judged() || (judged.ok() && !*judged)) return executor::outcome_of(result);
  const test_report::Verdict verdict =
      test_report::judge(command_line(run_.assignment.spec, run_.assignment.policy),
                         test_report::read(folder()), result);
  contracts::RunOutcome out = executor::outcome_of(result);
  if (verdict.reason.empty()) return out;
  out.reason = verdict.reason;
  out.message = verdict.message;
  return out;
}

}  // namespace paddock::executor
