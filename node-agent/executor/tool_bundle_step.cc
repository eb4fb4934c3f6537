#include "node-agent/executor/tool_bundle_step.h"

namespace paddock::executor {

Status ToolBundleStep::prepare() {
  if (!run_.assignment.tool_bundle) return {};
  ASSIGN_OR_RETURN(const contracts::ToolBundle bundle,
                   run_.transport(StopKind::kCancel)->tool_bundle(run_.assignment.run_uid));
  configuration_ = mcp_config_text(bundle);
  return {};
}

Status ToolBundleStep::add(contracts::LaunchRequest& request) {
  if (!configuration_) return {};
  request.env[std::string(contracts::kMcpConfigVariable)] = contracts::kMcpConfigFile;
  request.scratch_files[std::string(contracts::kMcpConfigFile)] = std::move(*configuration_);
  configuration_.reset();
  return {};
}

}  // namespace paddock::executor
