#include "node-agent/executor/secrets_step.h"

#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::executor {

Status SecretsStep::prepare() {
  const contracts::Assignment& run = run_.assignment;
  if (run.spec.secrets.empty()) return {};
  ASSIGN_OR_RETURN(contracts::RunSecretsAnswer answer,
                   run_.transport(StopKind::kCancel)->secrets(run.run_uid, run.attempt));
  values_ = std::move(answer.secrets);
  run_.log.say(cat("secrets: ", values_.size(), values_.size() == 1 ? " value" : " values"));
  return {};
}

Status SecretsStep::add(contracts::LaunchRequest& request) {
  for (contracts::RunSecret& each : std::exchange(values_, {})) {
    if (!each.variable.empty()) request.env[each.variable] = decode_base64(each.value).value_or("");
    contracts::LaunchSecret secret{std::move(each.value), {}};
    if (!each.file.empty())
      secret.file = os::join_path(std::string(contracts::kSandboxSecrets), each.file);
    request.secrets.push_back(std::move(secret));
  }
  return {};
}

}  // namespace paddock::executor
