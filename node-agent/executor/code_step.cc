#include "node-agent/executor/code_step.h"

#include "node-agent/code/launch.h"

namespace paddock::executor {

Status CodeStep::add(contracts::LaunchRequest& request) {
  request.workdir = std::string(code::kFolder);
  request.scratch_files.merge(code::files(run_.assignment.spec));
  const std::string& libraries = run_.ports.config.library_dir;
  if (!libraries.empty())
    request.mounts.push_back({libraries, libraries, contracts::MountMode::kReadOnly});
  return {};
}

}  // namespace paddock::executor
