// `paddock node move`: this node's controller has another address.
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/instance/agent_host.h"
#include "cli/instance/agent_server.h"
#include "cli/instance/agent_service.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/safe_output.h"
#include "common/client/controller_client.h"
#include "common/client/node_identity.h"
#include "common/http/http_client.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

// Checks that a controller answers there and accepts this node's credential; otherwise nothing is
// changed.
Status see_accepted(const http::Endpoint& endpoint, const std::string& node, const Env& env) {
  client::ControllerClient client(endpoint, env.patience);
  say_when_waiting(client, env);
  const auto answer = client.get("/version");
  if (answer.ok()) {
    if (!answer->text("gitVersion").empty()) return {};
    return Error{Code::kFailedPrecondition, "MOVE_REFUSED",
                 cat("what answers at ", endpoint.base_url, " is no controller")};
  }
  if (answer.error().code != Code::kUnauthenticated || http::is_peer_unproven(answer.error()))
    return answer.error();
  return Error{
      Code::kFailedPrecondition, "MOVE_REFUSED",
      cat("the controller at ", endpoint.base_url, " does not take the credential of ", node, " (",
          answer.error().message,
          "); if it is another controller, `paddock node join --force` with a token of it")};
}

// The CA goes where the configuration does not point to yet: until that is written, an agent that
// starts finds the former address and what it trusts.
Result<std::string> store_ca(const AgentHost& host, const std::string& pem) {
  std::string file = os::join_path(host.data_dir(), "controller-ca.pem");
  if (host.settings().ca_file == file)
    file = os::join_path(host.data_dir(), "controller-ca.moved.pem");
  TRY(os::write_file_atomic(file, pem, 0644));
  return file;
}

// The agent may run: it reads its configuration when it starts.
Status move(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const AgentHost host, AgentHost::find(parsed, env));
  ASSIGN_OR_RETURN(const std::string server, agent_server(parsed));
  ASSIGN_OR_RETURN(const std::string ca, agent_ca(parsed));
  ASSIGN_OR_RETURN(http::Endpoint endpoint, host.endpoint());
  endpoint.base_url = server;
  if (!ca.empty()) endpoint.ca_pem = ca;
  endpoint.live_token = [dir = host.data_dir()] { return client::stored_credential(dir); };
  TRY(see_accepted(endpoint, host.node(), env));
  AgentKeys keys{{"server", server}};
  if (!ca.empty()) {
    ASSIGN_OR_RETURN(const std::string file, store_ca(host, ca));
    keys.emplace_back("caFile", file);
  }
  TRY(host.set(keys));
  env.say(cat("the node ", printable(host.node()), " calls ", printable(server),
              " once its agent is started again:"));
  env.say(host.is_service() ? cat("  ", agent_service().restart)
                            : cat("  paddock-node-agent --config ", host.config_file()));
  return {};
}

}  // namespace

int node_move_command(const Parsed& parsed, Env& env) {
  const Status moved = move(parsed, env);
  return moved.ok() ? kExitOk : fail(env, moved.error());
}

}  // namespace paddock::cli
