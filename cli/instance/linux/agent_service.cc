#include "cli/instance/agent_service.h"

namespace paddock::cli {

AgentService agent_service() {
  return {"as root", "systemctl enable --now paddock-node-agent",
          "systemctl restart paddock-node-agent", "systemctl stop paddock-node-agent",
          "systemctl disable paddock-node-agent"};
}

}  // namespace paddock::cli
