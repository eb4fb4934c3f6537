#include "node-agent/app/identity.h"

#include <unistd.h>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/os/process.h"
#include "common/wire/json.h"
#include "node-agent/session/session_core.h"

namespace paddock::agent {
namespace {

constexpr size_t kMaxSecret = 4096;

std::string trimmed_file(const std::string& path) {
  const auto text = os::read_file(path, kMaxSecret);
  return text ? std::string(trim(*text)) : std::string();
}

}  // namespace

Result<std::string> ensure_identity(const std::string& data_dir, Random& random) {
  const std::string path = os::join_path(data_dir, "identity");
  std::string identity = trimmed_file(path);
  if (!identity.empty()) return identity;
  identity = crypto::make_token(random, "pdi");
  TRY(os::write_file_atomic(path, cat(identity, "\n"), 0600));
  return identity;
}

std::string stored_credential(const std::string& data_dir) {
  return trimmed_file(os::join_path(data_dir, "credential"));
}

Result<std::string> enroll(const AgentConfig& config, const http::Endpoint& endpoint,
                           Random& random) {
  const std::string token =
      config.enroll_token_file.empty() ? "" : trimmed_file(config.enroll_token_file);
  if (token.empty()) {
    return Error{Code::kFailedPrecondition, "ENROLL_TOKEN_MISSING",
                 "this node is not enrolled; give it an enrolment token (enrollTokenFile)"};
  }
  contracts::EnrollRequest request;
  ASSIGN_OR_RETURN(request.identity, ensure_identity(config.data_dir, random));
  request.labels = config.labels;
  http::Endpoint with_token = endpoint;
  with_token.token = token;
  client::ControllerClient client(with_token);
  ASSIGN_OR_RETURN(const contracts::EnrollAnswer answer, client.enroll(config.name, request));
  TRY(os::write_file_atomic(os::join_path(config.data_dir, "credential"),
                            cat(answer.credential, "\n"), 0600));
  return answer.credential;
}

Result<int64_t> take_generation(const std::string& data_dir, WallTime now) {
  const std::string path = os::join_path(data_dir, "generation");
  const int64_t last = parse_integer<int64_t>(trimmed_file(path)).value_or(0);
  const int64_t next = session::next_generation(last, now);
  TRY(os::write_file_atomic(path, cat(next, "\n"), 0600));
  return next;
}

Status write_agent_file(const AgentConfig& config, const std::string& nonce) {
  wire::Value document =
      wire::Value::Object{{"node", config.name}, {"nonce", nonce}, {"server", config.server}};
  if (const auto self = os::identify(::getpid())) {
    document.set("pid", self->pid);
    document.set("startTicks", self->start_ticks);
    document.set("bootId", self->boot_id);
  }
  return os::write_file_atomic(os::join_path(config.data_dir, "agent.json"),
                               wire::to_pretty_json(document), 0600);
}

}  // namespace paddock::agent
