// `paddock node join`, `leave` and `rotate`: on the host that is, or shall be, the node.
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/instance/agent_host.h"
#include "cli/instance/agent_server.h"
#include "cli/instance/agent_service.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/named_file.h"
#include "cli/terminal/safe_output.h"
#include "common/client/join_token.h"
#include "common/client/node_identity.h"
#include "common/http/clock_gap.h"
#include "common/os/file.h"
#include "common/os/read_stream.h"

namespace paddock::cli {
namespace {

constexpr size_t kMaxFile = 1 << 20;

int ended(const Env& env, const Status& status) {
  return status.ok() ? kExitOk : fail(env, status.error());
}

struct JoinOptions {
  std::string server;
  std::string node;
  client::JoinToken token;  // with the CA to trust
};

Result<std::string> token_text(const Parsed& parsed) {
  if (parsed.has("token")) return parsed.text("token");
  if (!parsed.has("token-file"))
    return invalid_argument(
        "USAGE", "an operator's `paddock node token NAME` prints the token for this host",
        "--token");
  const ReadingFile reading;
  auto text = os::read_stream(parsed.text("token-file"), kMaxFile);
  if (text.ok()) return text;
  return invalid_argument("TOKEN_FILE_UNREADABLE",
                          of_named_file(text.error(), parsed.text("token-file")).message,
                          "--token-file");
}

Result<JoinOptions> join_options(const Parsed& parsed, const AgentHost& host) {
  JoinOptions options;
  ASSIGN_OR_RETURN(options.server, agent_server(parsed));
  ASSIGN_OR_RETURN(const std::string text, token_text(parsed));
  ASSIGN_OR_RETURN(options.token, client::parse_join_token(text));
  ASSIGN_OR_RETURN(std::string ca, agent_ca(parsed));
  if (!ca.empty()) options.token.ca_pem = std::move(ca);
  options.node = parsed.text("name", host.node());
  return options;
}

// Joining twice by mistake takes nothing away.
Status refuse_joined(const AgentHost& host, const Parsed& parsed) {
  if (parsed.has("force") || client::stored_credential(host.data_dir()).empty()) return {};
  return Error{Code::kFailedPrecondition, "ALREADY_JOINED",
               cat("this host is the node ", host.node(), " of ", host.settings().server,
                   " already; `paddock node leave` first, or --force replaces its credential")};
}

// The credential comes last: who has one has joined.
// What to know of this host's clock is answered.
Result<std::string> join_host(const AgentHost& host, const JoinOptions& options, const Env& env) {
  http::Endpoint endpoint;
  endpoint.base_url = options.server;
  endpoint.ca_pem = options.token.ca_pem;
  client::ControllerClient client(client::with_enroll_token(endpoint, options.token.secret),
                                  env.patience);
  say_when_waiting(client, env);
  ASSIGN_OR_RETURN(const client::Enrolled enrolled,
                   client::enroll(client, options.node, {}, host.data_dir(), env.random));
  std::string ca_file;
  if (!options.token.ca_pem.empty()) {
    ca_file = os::join_path(host.data_dir(), "controller-ca.pem");
    TRY(os::write_file_atomic(ca_file, options.token.ca_pem, 0644));
  }
  TRY(host.set({{"server", options.server},
                {"caFile", ca_file},
                {"name", options.node},
                {"dataDir", host.data_dir()}}));
  TRY(client::store_credential(host.data_dir(), enrolled.credential));
  return http::clock_gap_text(enrolled.clock_gap, "the controller");
}

Status join_host(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const AgentHost host, AgentHost::find(parsed, env));
  ASSIGN_OR_RETURN(const JoinOptions options, join_options(parsed, host));
  ASSIGN_OR_RETURN(const os::LockFile lock, host.lock());
  TRY(refuse_joined(host, parsed));
  ASSIGN_OR_RETURN(const std::string clock, join_host(host, options, env));
  env.say(cat("this host is the node ", printable(options.node), " of ", printable(options.server),
              "; start its agent:"));
  env.say(host.is_service() ? cat("  ", agent_service().start)
                            : cat("  paddock-node-agent --config ", host.config_file()));
  if (!clock.empty()) env.say(cat("warning: ", printable(clock), " [", http::kClockWrong, "]"));
  return {};
}

// Whether the controller has let the node go, or never knew it.
Result<std::string> say_goodbye(const AgentHost& host, bool force, const Env& env) {
  ASSIGN_OR_RETURN(const http::Endpoint endpoint, host.endpoint());
  client::ControllerClient client(endpoint, env.patience);
  say_when_waiting(client, env);
  const std::string node = host.node();
  const Status left = client.leave(node, force);
  if (left.ok()) return cat("the node ", node, " has left");
  const Code code = left.error().code;
  const bool unproven = http::is_peer_unproven(left.error());
  if (code == Code::kUnauthenticated && !unproven)
    return cat("the controller knew nothing of the node ", node, " any more");
  if (code != Code::kUnavailable && code != Code::kDeadlineExceeded && !unproven)
    return left.error();
  return Error{code, "LEAVE_UNREACHABLE",
               cat("the controller does not answer (", left.error().message,
                   "); an operator's `paddock delete node ", node,
                   "` ends the credential there, `paddock node leave --local` removes it here")};
}

Status leave_host(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const AgentHost host, AgentHost::find(parsed, env));
  ASSIGN_OR_RETURN(const os::LockFile lock, host.lock());
  if (parsed.has("local")) {
    env.say(
        cat("nothing was said to the controller: paddock delete node ", printable(host.node())));
  } else {
    ASSIGN_OR_RETURN(const std::string said, say_goodbye(host, parsed.has("force"), env));
    env.say(printable(said));
  }
  TRY(client::forget_identity(host.data_dir()));
  if (host.is_service()) env.say(cat("  ", agent_service().forget));
  return {};
}

// The agent may run: it takes the new credential from the disk.
Status rotate_here(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const AgentHost host, AgentHost::find(parsed, env));
  ASSIGN_OR_RETURN(http::Endpoint endpoint, host.endpoint());
  endpoint.live_token = [dir = host.data_dir()] { return client::stored_credential(dir); };
  client::ControllerClient client(endpoint, env.patience);
  say_when_waiting(client, env);
  ASSIGN_OR_RETURN(const std::string next,
                   client::rotate_credential(client, host.node(), host.data_dir()));
  ASSIGN_OR_RETURN(const wire::Value seen, client.get("/version"));  // its first use
  env.say(cat("the node ", printable(host.node()),
              " has a new credential; the older one ends within a minute"));
  return {};
}

}  // namespace

int node_join_command(const Parsed& parsed, Env& env) { return ended(env, join_host(parsed, env)); }
int node_leave_command(const Parsed& parsed, Env& env) {
  return ended(env, leave_host(parsed, env));
}
int node_rotate_command(const Parsed& parsed, Env& env) {
  return ended(env, rotate_here(parsed, env));
}

}  // namespace paddock::cli
