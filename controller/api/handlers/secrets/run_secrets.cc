#include "controller/api/handlers/secrets/run_secrets.h"

#include <algorithm>
#include <map>

#include "common/base/text.h"
#include "controller/api/server/documents.h"
#include "controller/base/list_faults.h"
#include "controller/nodes/registry.h"

namespace paddock::api {
namespace {

using contracts::Run;
using contracts::RunSecret;
using contracts::Secret;
using contracts::SecretUse;
using contracts::SecretValueSize;

Error use_refusal(Reason reason, size_t use, std::string_view part, const std::string& message) {
  return {Code::kFailedPrecondition,
          reason,
          message,
          {{cat("spec.secrets[", use, "]", part), message}}};
}

std::string names_of(const Secret& secret) {
  std::vector<std::string> names;
  for (const SecretValueSize& each : secret.status.values) names.push_back(each.name);
  return join(names, ", ");
}

Status check_there(const std::optional<Secret>& secret, const SecretUse& use, size_t index) {
  if (!secret)
    return use_refusal("SECRET_NOT_FOUND", index, ".name",
                       cat("there is no Secret ", use.name,
                           " in this namespace; create it: paddock secret create ", use.name,
                           " --from-file KEY=FILE"));
  if (secret->metadata.deletion_timestamp)
    return use_refusal("SECRET_NOT_FOUND", index, ".name",
                       cat("the Secret ", use.name, " is being deleted and opens no more"));
  return {};
}

// Checks that the Secret exists and has the value that is asked for.
Status check_use(const std::optional<Secret>& secret, const SecretUse& use, size_t index) {
  TRY(check_there(secret, use, index));
  const auto& values = secret->status.values;
  if (use.key.empty() && !use.variable.empty() && values.size() != 1)
    return use_refusal("SECRET_VALUE_UNCLEAR", index, ".key",
                       cat("a variable has one value, and the Secret ", use.name, " has ",
                           values.size(), "; name one of: ", names_of(*secret)));
  const bool there = std::ranges::find(values, use.key, &SecretValueSize::name) != values.end();
  if (!use.key.empty() && !there)
    return use_refusal(
        "SECRET_VALUE_NOT_FOUND", index, ".key",
        cat("the Secret ", use.name, " has no value ", use.key, "; it has: ", names_of(*secret)));
  return {};
}

RunSecret shape_of(const SecretUse& use, const std::string& key) {
  RunSecret out;
  out.variable = use.variable;
  if (use.variable.empty()) out.file = cat(use.name, "/", key);
  return out;
}

Status add_values(const Secret& secret, const SecretUse& use, size_t index, size_t& bytes,
                  std::vector<WantedValue>& out) {
  const secrets::Place place{{secret.metadata.name_space, secret.metadata.name},
                             secret.metadata.uid};
  for (const SecretValueSize& each : secret.status.values) {
    if (!use.key.empty() && each.name != use.key) continue;
    const auto size = static_cast<size_t>(each.bytes);
    if (!use.variable.empty() && size > contracts::kMaxSecretVariableBytes)
      return use_refusal("SECRET_TOO_LARGE", index, ".variable",
                         cat("a variable takes at most ", contracts::kMaxSecretVariableBytes,
                             " bytes, and the value has ", size,
                             "; leave the variable out and read the file /run/secrets/", use.name,
                             "/", each.name));
    bytes += size;
    out.push_back({index, place, each.name, shape_of(use, each.name)});
  }
  if (bytes <= contracts::kMaxRunSecretBytes && out.size() <= contracts::kMaxRunSecretValues)
    return {};
  return use_refusal("SECRET_TOO_LARGE", index, "",
                     cat("a run gets at most ", contracts::kMaxRunSecretValues, " values and ",
                         contracts::kMaxRunSecretBytes,
                         " bytes of secrets together; name only the values that it needs"));
}

// Refuses a value with a NUL byte for an environment variable, which cannot hold one.
Status check_text(const WantedValue& wanted, const std::string& value) {
  if (wanted.as.variable.empty() || value.find('\0') == std::string::npos) return {};
  return use_refusal(
      "SECRET_NOT_TEXT", wanted.use, ".variable",
      cat("the value ", wanted.key,
          " has a NUL byte, which no variable can have; leave the variable out and read "
          "the file"));
}

Result<contracts::RunSecretsAnswer> open_all(Services& services,
                                             const std::vector<WantedValue>& wanted) {
  contracts::RunSecretsAnswer answer;
  std::map<std::string, std::map<std::string, std::string>> opened;  // by uid
  for (const WantedValue& each : wanted) {
    auto known = opened.find(each.place.secret_uid);
    if (known == opened.end()) {
      ASSIGN_OR_RETURN(auto values, services.vault->open_values(services.store, each.place));
      known = opened.emplace(each.place.secret_uid, std::move(values)).first;
    }
    const auto value = known->second.find(each.key);
    if (value == known->second.end())  // it was removed just now
      return use_refusal("SECRET_VALUE_NOT_FOUND", each.use, ".key",
                         cat("the Secret has no value ", each.key, " any more"));
    TRY(check_text(each, value->second));
    answer.secrets.push_back(each.as);
    answer.secrets.back().value = base64(value->second);
  }
  return answer;
}

}  // namespace

Result<std::vector<WantedValue>> wanted_values(store::ReadTxn& txn, const Run& run) {
  std::vector<WantedValue> out;
  size_t bytes = 0;
  ListFaults faults;
  for (size_t i = 0; i < run.spec.secrets.size(); ++i) {
    const SecretUse& use = run.spec.secrets[i];
    ASSIGN_OR_RETURN(const auto secret, txn.find<Secret>({run.metadata.name_space, use.name}));
    Status usable = check_use(secret, use, i);
    if (!usable.ok()) {
      faults.add(std::move(usable).error());
    } else if (faults.none()) {
      TRY(add_values(*secret, use, i, bytes, out));
    }
  }
  TRY(std::move(faults).status());
  return out;
}

Result<Response> node_run_secrets(Call& call) {
  ASSIGN_OR_RETURN(const auto request, wire::decode<contracts::RunSecretsRequest>(call.body));
  ASSIGN_OR_RETURN(const Run run,
                   nodes::assigned_run(call.services.store, call.param("node"), call.param("uid")));
  if (run.status.attempt != request.attempt)
    return Error{Code::kConflict, "STALE_ATTEMPT", "this is not the run's current attempt"};
  std::vector<WantedValue> wanted;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(wanted, wanted_values(txn, run));
    return {};
  }));
  ASSIGN_OR_RETURN(const contracts::RunSecretsAnswer answer, open_all(call.services, wanted));
  return secret_response(wire::encode(answer));
}

}  // namespace paddock::api
