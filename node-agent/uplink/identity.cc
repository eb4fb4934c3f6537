#include "node-agent/uplink/identity.h"

#include <unistd.h>

#include "common/base/text.h"
#include "common/client/join_token.h"
#include "common/client/node_identity.h"
#include "common/os/file.h"
#include "common/os/process.h"
#include "common/wire/json.h"
#include "node-agent/sync/sync_core.h"

namespace paddock::agent {

Result<std::string> enroll(const NodeIdentity& node, const http::Endpoint& endpoint,
                           Random& random) {
  const std::string text =
      node.enroll_token_file.empty() ? "" : client::trimmed_file(node.enroll_token_file);
  if (text.empty()) {
    return Error{Code::kFailedPrecondition, "ENROLL_TOKEN_MISSING",
                 "this node is not enrolled; an operator's `paddock node token NAME` prints the "
                 "`paddock node join` line for this host, or set enrollTokenFile"};
  }
  ASSIGN_OR_RETURN(const client::JoinToken token, client::parse_join_token(text));
  client::ControllerClient client(client::with_enroll_token(endpoint, token.secret));
  ASSIGN_OR_RETURN(const client::Enrolled enrolled,
                   client::enroll(client, node.name, node.labels, node.data_dir, random));
  TRY(client::store_credential(node.data_dir, enrolled.credential));
  return enrolled.credential;
}

Result<int64_t> take_generation(const std::string& data_dir, WallTime now) {
  const std::string path = os::join_path(data_dir, "generation");
  const int64_t last = parse_integer<int64_t>(client::trimmed_file(path)).value_or(0);
  const int64_t next = sync::next_generation(last, now);
  TRY(os::write_file_atomic(path, cat(next, "\n"), 0600));
  return next;
}

Status write_agent_file(const NodeIdentity& node, const std::string& nonce) {
  wire::Value document =
      wire::Value::Object{{"node", node.name}, {"nonce", nonce}, {"server", node.server}};
  if (const auto self = os::identify(::getpid())) {
    document.set("pid", self->pid);
    document.set("startTicks", self->start_ticks);
    document.set("bootId", self->boot_id);
  }
  return os::write_file_atomic(os::join_path(node.data_dir, "agent.json"),
                               wire::to_pretty_json(document), 0600);
}

}  // namespace paddock::agent
