#include "controller/api/handlers/secrets/secrets.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/wire/json.h"
#include "controller/api/handlers/secrets/secret_kind.h"
#include "controller/api/objects/changes.h"
#include "controller/api/objects/creates.h"
#include "controller/api/objects/spec_differences.h"
#include "controller/secrets/vault.h"

namespace paddock::api {
namespace {

using contracts::Secret;

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

secrets::Place place_of(const Secret& secret) {
  const contracts::ObjectMeta& meta = secret.metadata;
  return {{meta.name_space, meta.name}, meta.uid};
}

Error value_error(Reason reason, const std::string& field, const std::string& message) {
  return invalid_argument(reason, message, field);
}

// `***` stands for a value that is there already.
Status check_kept(const Secret& secret, const std::map<std::string, std::string>& there) {
  for (const auto& [name, value] : secret.data) {
    if (value != contracts::kKeptValue || there.contains(name)) continue;
    if (secret.string_data.contains(name)) continue;
    return value_error("SECRET_VALUE_MISSING", cat("data.", name),
                       "*** keeps a value that is there, and there is none of this name; send the "
                       "value in base64, or as text in stringData");
  }
  if (secret.data.empty() && secret.string_data.empty())
    return value_error("SECRET_EMPTY", "data",
                       "a Secret has at least one value, in data (base64) or stringData (text)");
  return {};
}

std::vector<std::string> brought_values(const Secret& secret) {
  std::vector<std::string> names;
  for (const auto& [name, value] : secret.data)
    if (value != contracts::kKeptValue) names.push_back(name);
  for (const auto& [name, value] : secret.string_data) names.push_back(name);
  return names;
}

contracts::SecretValueSize known_value(const Secret& secret, const std::string& name) {
  const auto& values = secret.status.values;
  const auto found = std::ranges::find(values, name, &contracts::SecretValueSize::name);
  return found == values.end() ? contracts::SecretValueSize{name} : *found;
}

// Until its values are taken out their senders are in its status.
void note_sender(Secret& secret, const std::string& subject) {
  auto& values = secret.status.values;
  for (const std::string& name : brought_values(secret)) {
    contracts::SecretValueSize value = known_value(secret, name);
    value.sent_by = subject;
    std::erase_if(values, [&](const auto& each) { return each.name == name; });
    values.push_back(std::move(value));
  }
}

// Whether what a caller sends is there already, so that an apply of it changes nothing.
Result<bool> are_there(store::WriteTxn& txn, const secrets::KeyRing& ring, const Secret& secret,
                       const std::map<std::string, std::string>& plain) {
  ASSIGN_OR_RETURN(const auto sealed, txn.sealed_values(secret.metadata.uid));
  for (const auto& [name, value] : plain) {
    const auto found = std::ranges::find(sealed, name, &store::SealedValue::name);
    if (found == sealed.end()) return false;
    ASSIGN_OR_RETURN(const std::string there, secrets::open(ring, place_of(secret), *found));
    if (!crypto::equal_constant_time(there, value)) return false;
  }
  return true;
}

Error data_is_immutable() {
  return immutable({{"data", "cannot change: the Secret is immutable; delete it first"}}).error();
}

// Checks that an immutable Secret stays as it is. Its values are compared where they can be read.
Status check_unchanged(const Secret& live, const Secret& next, const Secret& tried) {
  std::vector<Cause> causes;
  if (!next.immutable.value_or(false))
    causes.push_back({"immutable", "cannot change once it is true; delete the Secret"});
  if (tried.data != live.data)
    causes.push_back({"data", "cannot change: the Secret is immutable; delete it first"});
  return immutable(std::move(causes));
}

// kubectl writes there what it applied, values and all: nobody keeps it, and so nobody owns it.
void forget_last_applied(wire::Value& document) {
  wire::Value* metadata = document.find("metadata");
  wire::Value* notes = metadata == nullptr ? nullptr : metadata->find("annotations");
  if (notes != nullptr) notes->erase(kLastApplied);
}

// Out of the object, which is then as it is stored and shown.
Result<std::map<std::string, std::string>> take_values(Secret& secret) {
  std::map<std::string, std::string> plain;
  for (auto& [name, value] : secret.data) {
    if (value != contracts::kKeptValue) plain[name] = decode_base64(value).value_or("");
    value = contracts::kKeptValue;
  }
  for (auto& [name, value] : secret.string_data) {
    plain[name] = std::move(value);
    secret.data[name] = contracts::kKeptValue;
  }
  secret.string_data.clear();
  std::vector<contracts::SecretValueSize> sizes;
  size_t bytes = 0;
  for (const auto& [name, kept] : secret.data) {
    contracts::SecretValueSize value = known_value(secret, name);
    const auto fresh = plain.find(name);
    if (fresh != plain.end()) value.bytes = static_cast<int64_t>(fresh->second.size());
    bytes += static_cast<size_t>(value.bytes);
    sizes.push_back(std::move(value));
  }
  secret.status.values = std::move(sizes);
  if (bytes > contracts::kMaxSecretBytes || secret.data.size() > contracts::kMaxSecretValues)
    return value_error("SECRET_TOO_LARGE", "data",
                       cat("a Secret has at most ", contracts::kMaxSecretValues, " values and ",
                           contracts::kMaxSecretBytes, " bytes together; this one would have ",
                           secret.data.size(), " and ", bytes));
  return plain;
}

// The store keeps a digest of each request with an Idempotency-Key. For Secrets it is keyed, so
// that nobody without the key of Secrets can find out the values by guessing, while other values
// still make another request.
Status hide_digest(Call& call) {
  if (!call.request.headers.contains("idempotency-key")) return {};
  ASSIGN_OR_RETURN(const secrets::SealKey key,
                   call.services.vault->make_ready(call.services.store, call.services.random));
  call.body_hash = crypto::hmac_sha256_hex(key.bytes, call.body_hash);
  return {};
}

}  // namespace

k8s::Labels KindTraits<Secret>::selectable_fields(const Secret& secret) {
  return {{"metadata.name", secret.metadata.name},
          {"metadata.namespace", secret.metadata.name_space},
          {"type", secret.type}};
}

std::map<std::string, std::string> KindTraits<Secret>::audit_details(const Secret& secret) {
  std::vector<std::string> names;
  for (const auto& [name, value] : secret.data) names.push_back(name);
  return {{"values", contracts::audit_text(join(names, " "))}};
}

void KindTraits<Secret>::note_maker(Secret& secret, const std::string& subject) {
  secret.status.created_by = subject;
  note_sender(secret, subject);
}

// A caller who may write, but not read, could find out an immutable value by sending guesses and
// looking at the answers. So only the caller who sent a value may send it again; all others get the
// same error, whatever they send.
Status KindTraits<Secret>::check_changer(const auth::Principal& changer, const Secret& live,
                                         Secret& next) {
  if (live.immutable.value_or(false)) {
    for (const std::string& name : brought_values(next))
      if (known_value(live, name).sent_by != changer.subject) return data_is_immutable();
  }
  note_sender(next, changer.subject);
  return {};
}

Status KindTraits<Secret>::prepare_new(Services& services, Secret& secret) {
  secret.metadata.annotations.erase(kLastApplied);
  TRY(check_kept(secret, {}));
  Secret tried = secret;
  TRY(take_values(tried));
  TRY(services.vault->make_ready(services.store, services.random));
  return {};
}

Status KindTraits<Secret>::save_new(Services& services, store::WriteTxn& txn, Secret& secret,
                                    WallTime) {
  ASSIGN_OR_RETURN(const auto plain, take_values(secret));
  ASSIGN_OR_RETURN(const secrets::KeyRing ring, services.vault->keys());
  TRY(txn.create(secret));
  return secrets::put_values(txn, ring, place_of(secret), plain, services.random);
}

Status KindTraits<Secret>::check_update(Services& services, const Secret& live, Secret& next) {
  next.metadata.annotations.erase(kLastApplied);
  TRY(check_kept(next, live.data));
  Secret tried = next;
  TRY(take_values(tried));
  if (live.immutable.value_or(false)) TRY(check_unchanged(live, next, tried));
  if (!brought_values(next).empty() || tried.data != live.data || next.type != live.type)
    ++next.metadata.generation;
  if (brought_values(next).empty()) return {};
  TRY(services.vault->make_ready(services.store, services.random));
  return {};
}

Status KindTraits<Secret>::save_update(Services& services, store::WriteTxn& txn, Secret& next,
                                       WallTime) {
  ASSIGN_OR_RETURN(const auto plain, take_values(next));
  ASSIGN_OR_RETURN(const Secret live, txn.get<Secret>(place_of(next).secret));
  // This holds only for the Secret that the caller's right was judged by, and not for another one
  // in its place.
  const bool judged = live.metadata.resource_version == next.metadata.resource_version;
  if (live.immutable.value_or(false) && judged && !plain.empty()) {
    ASSIGN_OR_RETURN(const secrets::KeyRing known, services.vault->keys());
    ASSIGN_OR_RETURN(const bool same, are_there(txn, known, live, plain));
    if (!same) return data_is_immutable();
  }
  TRY(txn.update(next));
  ASSIGN_OR_RETURN(const auto there, txn.sealed_values(next.metadata.uid));
  for (const store::SealedValue& each : there)
    if (!next.data.contains(each.name)) TRY(txn.drop_sealed_value(next.metadata.uid, each.name));
  if (plain.empty()) return {};
  ASSIGN_OR_RETURN(const secrets::KeyRing ring, services.vault->keys());
  return secrets::put_values(txn, ring, place_of(next), plain, services.random);
}

Result<Response> create_secret(Call& call) {
  TRY(hide_digest(call));
  forget_last_applied(call.body);
  return create_object<Secret>(call);
}

Result<Response> change_secret(Call& call) {
  TRY(hide_digest(call));
  forget_last_applied(call.body);
  return change_object<Secret>(call);
}

Result<Response> rotate_secret_key(Call& call) {
  TRY(refuse_fields(call.body));
  const auto recorded = [&call](store::WriteTxn& txn, const contracts::SecretKeyRotation& done) {
    contracts::ObjectMeta meta;
    meta.name = done.key_id;
    return record(txn, call, contracts::audit::kSecretKeyRotate, "secretkeys", meta,
                  {{"values", std::to_string(done.values)}});
  };
  ASSIGN_OR_RETURN(const contracts::SecretKeyRotation done,
                   call.services.vault->rotate(call.services.store, call.services.random, recorded,
                                               call.request.parameter("key").value_or("")));
  return object_response(done);
}

}  // namespace paddock::api
