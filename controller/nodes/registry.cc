#include "controller/nodes/registry.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/enrollment.h"
#include "common/contracts/names.h"
#include "common/contracts/protocol.h"
#include "common/crypto/digest.h"
#include "controller/auth/token.h"
#include "controller/nodes/credentials.h"

namespace paddock::nodes {

namespace {

std::string identity_setting(const std::string& node) { return "node-identity/" + node; }

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_label_char(char c) {
  return is_lower_alnum(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

Status check_labels(const std::map<std::string, std::string>& labels) {
  for (const auto& [key, value] : labels) {
    const bool good_key =
        !key.empty() && key.size() <= 253 &&
        std::all_of(key.begin(), key.end(), [](char c) { return is_label_char(c) || c == '/'; });
    const bool good_value =
        value.size() <= 63 && std::all_of(value.begin(), value.end(), is_label_char);
    if (!good_key || !good_value) {
      return invalid_argument(
          "NODE_LABELS_INVALID",
          "a label's key and value are letters, digits and - _ . (a key also /), "
          "at most 253 and 63 of them",
          "labels");
    }
  }
  return {};
}

// The name belongs to whoever enrolled it first.
Status claim_name(store::WriteTxn& txn, const std::string& node, const std::string& identity) {
  const std::string hash = crypto::sha256_hex(identity);
  ASSIGN_OR_RETURN(const auto owner, txn.setting(identity_setting(node)));
  const bool taken = owner && !owner->empty();
  if (taken && !crypto::equal_constant_time(*owner, hash)) {
    return Error{Code::kConflict, "NODE_NAME_TAKEN",
                 "another agent holds this name; choose another one or delete the node first"};
  }
  return taken ? Status() : txn.put_setting(identity_setting(node), hash);
}

// Removes the node, and revokes the credentials of its agent and of a host that was to enrol as
// this node.
Status forget_node(store::WriteTxn& txn, const std::string& node) {
  TRY(txn.erase<contracts::Node>({"", node}));
  TRY(revoke_tokens(txn, auth::node_subject(node)));
  TRY(revoke_tokens(txn, auth::enroll_subject(node)));
  TRY(txn.put_setting(identity_setting(node), ""));
  txn.touch(store::kSchedulerTopic);
  txn.touch(store::node_topic(node));
  return {};
}

Status refuse_while_used(store::ReadTxn& txn, const std::string& node) {
  ASSIGN_OR_RETURN(const auto runs, txn.active_runs_on(node));
  ASSIGN_OR_RETURN(const auto sessions, txn.sessions_on(node));
  if (runs.empty() && sessions.empty()) return {};
  return Error{Code::kConflict, "NODE_HAS_RUNS",
               cat("runs here: ", runs.size(), ", sandbox sessions: ", sessions.size(),
                   "; empty the node first (paddock drain ", node,
                   "), or leave with --force: they end as lost")};
}

Result<std::string> put_node(store::WriteTxn& txn, const std::string& name,
                             const contracts::EnrollRequest& request, const std::string& fresh_uid,
                             WallTime now) {
  ASSIGN_OR_RETURN(const auto stored, txn.find<contracts::Node>({"", name}));
  contracts::Node node = stored.value_or(contracts::Node());
  node.metadata.labels = request.labels;
  if (stored) {
    TRY(txn.update(node));
  } else {
    node.metadata.name = name;
    node.spec.taints = request.taints;
    node.metadata.uid = fresh_uid;
    node.metadata.generation = 1;
    node.metadata.creation_timestamp = wire::Timestamp{now};
    node.status.message = "enrolled; no agent has called yet";
    TRY(txn.create(node));
  }
  txn.touch(store::kSchedulerTopic);
  return node.metadata.uid;
}

}  // namespace

Status check_node_name(const std::string& node) {
  if (contracts::is_dns_label(node)) return {};
  return invalid_argument("NODE_NAME_INVALID",
                          "a node's name is at most 63 lower-case letters, digits and inner dashes",
                          "name");
}

Result<contracts::EnrollAnswer> enroll(store::Store& store, const std::string& node,
                                       const contracts::EnrollRequest& request, WallTime now,
                                       Random& random, const Record& record,
                                       const std::string& token_id) {
  TRY(check_node_name(node));
  TRY(check_labels(request.labels));
  contracts::EnrollAnswer answer;
  answer.credential = crypto::make_token(random, contracts::kNodeTokenPrefix);
  store::TokenRecord token;
  token.id = cat("node-", node, "-", make_suffix(random, 8));
  token.hash = crypto::sha256_hex(answer.credential);
  token.subject = auth::node_subject(node);
  token.scopes = auth::node_scopes();
  const std::string fresh_uid = make_uuid(random);
  Status written = store.write([&](store::WriteTxn& txn) -> Status {
    if (!token_id.empty()) TRY(use_enroll_token(txn, token_id, node, request.identity));
    TRY(claim_name(txn, node, request.identity));
    TRY(revoke_tokens(txn, auth::node_subject(node)));
    TRY(txn.put_token(token));
    ASSIGN_OR_RETURN(answer.node_uid, put_node(txn, node, request, fresh_uid, now));
    return record ? record(txn) : Status();
  });
  if (!written.ok()) return std::move(written).error();
  return answer;
}

Status note_mismatch(store::Store& store, const std::string& name, int64_t protocol,
                     const std::string& message) {
  return store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::Node node, txn.get<contracts::Node>({"", name}));
    node.status.ready = false;
    node.status.reason = contracts::kProtocolMismatch;
    node.status.message = message;
    node.status.protocol_version = protocol;
    txn.touch(store::kSchedulerTopic);
    return txn.update(node);
  });
}

Status remove(store::Store& store, LeaseTable& leases, const std::string& node,
              const Record& record) {
  Status written = store.write_freeing([&](store::WriteTxn& txn) -> Status {
    TRY(forget_node(txn, node));
    return record ? record(txn) : Status();
  });
  if (!written.ok()) return std::move(written).error();
  leases.forget(node);
  return {};
}

Status leave(store::Store& store, LeaseTable& leases, const std::string& node, bool force,
             const Record& record) {
  Status written = store.write_freeing([&](store::WriteTxn& txn) -> Status {
    if (!force) TRY(refuse_while_used(txn, node));
    TRY(forget_node(txn, node));
    return record ? record(txn) : Status();
  });
  if (!written.ok()) return written;
  leases.forget(node);
  return {};
}

Result<contracts::Run> assigned_run(store::Store& store, const std::string& node,
                                    const std::string& run_uid) {
  std::optional<contracts::Run> found;
  Status seen = store.read([&](store::ReadTxn& txn) -> Status {
    auto run = txn.run_by_uid(run_uid);
    if (!run.ok()) return run.error().code == Code::kNotFound ? Status() : run.error();
    const bool here = run->status.node_name == node && !contracts::is_terminal(run->status.phase);
    if (here) found = std::move(*run);
    return {};
  });
  if (!seen.ok()) return std::move(seen).error();
  if (found) return std::move(*found);
  return Error{Code::kNotFound, "RUN_NOT_ASSIGNED", "this node holds no such run now"};
}

}  // namespace paddock::nodes
