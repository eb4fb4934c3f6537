#include "node-agent/executor/tool_token_step.h"

#include <utility>

#include "common/base/text.h"
#include "common/contracts/api_paths.h"

namespace paddock::executor {
namespace {

std::optional<contracts::ToolGateway> gateway_of(RunCredential credential, std::string run_uid) {
  auto place = contracts::place_of_url(credential.controller_url);
  if (!place) return std::nullopt;
  return contracts::ToolGateway{std::move(place->host), place->port,
                                std::move(credential.addresses), std::move(run_uid),
                                std::move(credential.ca_pem)};
}

}  // namespace

Status ToolTokenStep::prepare() {
  const contracts::Assignment& run = run_.assignment;
  if (!run.spec.tool_token) return {};
  ASSIGN_OR_RETURN(credential_,
                   run_.transport(StopKind::kCancel)->tool_token(run.run_uid, run.attempt));
  return {};
}

Status ToolTokenStep::add(contracts::LaunchRequest& request) {
  std::optional<RunCredential> credential = std::exchange(credential_, std::nullopt);
  if (!credential) return {};
  const contracts::Assignment& run = run_.assignment;
  request.env[std::string(contracts::kToolTokenVariable)] = credential->token;
  request.env[std::string(contracts::kControllerUrlVariable)] = credential->controller_url;
  request.env[std::string(contracts::kProjectVariable)] = run.spec.workspace;
  request.env[std::string(contracts::kRunUrlVariable)] =
      cat(credential->controller_url, contracts::paths::run(run.name_space, run.name));
  request.tool_gateway = gateway_of(std::move(*credential), run.run_uid);
  if (request.tool_gateway && !request.tool_gateway->ca.empty())
    request.env[std::string(contracts::kCaFileVariable)] = contracts::kSandboxCaFile;
  return {};
}

}  // namespace paddock::executor
