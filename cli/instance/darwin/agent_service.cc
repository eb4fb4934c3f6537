#include "cli/instance/agent_service.h"

namespace paddock::cli {

AgentService agent_service() {
  return {"as _paddock (sudo -u _paddock)",
          "sudo packaging/launchd/install    (in the folder that the programs were built in)",
          "sudo launchctl kickstart -k system/dev.paddock.node-agent",
          "sudo launchctl bootout system/dev.paddock.node-agent",
          "sudo /usr/local/libexec/paddock/uninstall"};
}

}  // namespace paddock::cli
