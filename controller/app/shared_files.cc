#include "controller/app/shared_files.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "controller/app/open_blobs.h"
#include "controller/app/shared_folder.h"
#include "controller/auth/token.h"
#include "controller/secrets/vault.h"

namespace paddock::app {
namespace {

constexpr const char* kCaSetting = "shared-files/ca";
constexpr const char* kBlobsSetting = "shared-files/blobs";
constexpr const char* kExecuteSetting = "shared-files/execute-token";

// Empty where there is none.
std::string text_of(const std::string& path) {
  const auto text = os::read_file(path, 1 << 20);
  return text.ok() ? std::string(trim(*text)) : std::string();
}

std::string ca_mark(const Config& config) {
  if (!serves_local_ca(config)) return {};
  const std::string pem = text_of(os::join_path(config.data_dir, "tls/ca.pem"));
  return pem.empty() ? std::string() : crypto::sha256_hex(pem);
}

// The bucket's claim, or a file of its own in the folder of files.
std::string blobs_file(const Config& config) {
  if (config.blobs.s3.used()) return bucket_mark(config.data_dir);
  return os::join_path(config.data_dir, "blobs/instance-id");
}

// The token's hash, as the store has it. People may give tokens of their own the same subject, so
// only the leader can say which token is the one in the file.
std::string execute_mark(const Config& config) {
  if (!wants_execute_token(config)) return {};
  const std::string token = text_of(os::join_path(config.data_dir, "tokens/execute"));
  return token.empty() ? std::string() : auth::token_hash(token);
}

Status add_token(store::LeadWatch& leader, const Config& config, const std::string& name,
                 std::vector<Cause>& missing) {
  ASSIGN_OR_RETURN(const std::vector<std::string> known, leader.token_hashes(name));
  const std::string file = cat("tokens/", name);
  const std::string own = auth::token_hash(text_of(os::join_path(config.data_dir, file)));
  if (known.empty() || std::ranges::find(known, own) != known.end()) return {};
  missing.push_back({file, "is not the leader's"});
  return {};
}

struct Compared {
  bool told = false;  // the leader has told its files
  std::vector<Cause> missing;
};

Result<Compared> compare_files(store::LeadWatch& leader, const Config& config) {
  // The first question: the leader tells all in one change, after it made its tokens.
  ASSIGN_OR_RETURN(const std::string blobs, leader.setting(kBlobsSetting));
  Compared out{!blobs.empty(), {}};
  TRY(add_token(leader, config, "admin", out.missing));
  if (config.enroll_token) TRY(add_token(leader, config, "enroll", out.missing));
  ASSIGN_OR_RETURN(const std::string execute, leader.setting(kExecuteSetting));
  if (!execute.empty() && wants_execute_token(config) && execute_mark(config) != execute)
    out.missing.push_back({"tokens/execute", "is not the leader's"});
  ASSIGN_OR_RETURN(const std::string ca, leader.setting(kCaSetting));
  if (!ca.empty() && serves_local_ca(config)) {
    const bool key = os::exists(os::join_path(config.data_dir, "tls/ca-key.pem"));
    if (ca_mark(config) != ca || !key) out.missing.push_back({"tls/ca.pem", "is not the leader's"});
  }
  if (!blobs.empty() && text_of(blobs_file(config)) != blobs)
    out.missing.push_back(
        {config.blobs.s3.used() ? "bucket-id" : "blobs", "are not those of the leader"});
  return out;
}

Error files_differ(std::vector<Cause> missing) {
  std::vector<std::string> names;
  for (const Cause& each : missing) names.push_back(each.field);
  return Error{
      Code::kFailedPrecondition, "STANDBY_FILES_DIFFER",
      cat("another controller leads or led this database, and this data folder lacks what both "
          "must have: ",
          join(names, ", "),
          "; copy tls/ca.pem, tls/ca-key.pem, tokens/, secrets.key, receipt-keys.pem and bucket-id "
          "from its data folder (the folder blobs is to be the same one where there is no bucket)"),
      std::move(missing)};
}

}  // namespace

Status tell_shared_files(store::Store& store, const Config& config, Random& random) {
  const std::string file = blobs_file(config);
  if (text_of(file).empty()) TRY(os::write_file_atomic(file, make_uuid(random) + "\n"));
  const std::string ca = ca_mark(config);
  const std::string blobs = text_of(file);
  const std::string execute = execute_mark(config);
  return store.write([&](store::WriteTxn& txn) -> Status {
    TRY(txn.put_setting(store::kLeaderUrlSetting, config.store.postgres.advertised_url));
    TRY(txn.put_setting(kCaSetting, ca));
    TRY(txn.put_setting(kExecuteSetting, execute));
    return txn.put_setting(kBlobsSetting, blobs);
  });
}

Result<bool> check_shared_files(store::LeadWatch& leader, const Config& config) {
  ASSIGN_OR_RETURN(Compared found, compare_files(leader, config));
  if (!found.missing.empty()) return files_differ(std::move(found.missing));
  return found.told;
}

Result<bool> lacks_secret_key(store::LeadWatch& leader, const Config& config) {
  ASSIGN_OR_RETURN(const std::string mark, leader.setting(secrets::kMarkSetting));
  if (mark.empty()) return false;
  secrets::Vault vault(os::join_path(config.data_dir, "secrets.key"));
  const auto seals = [&](const secrets::SealKey& key) { return secrets::mark_of(key) == mark; };
  const auto ring = vault.keys();
  if (ring.ok() && std::ranges::any_of(ring->keys, seals)) return false;
  const auto shared = shared_secret_keys(config);
  if (!ring.ok() || !shared.ok()) return true;
  ASSIGN_OR_RETURN(const bool added, vault.add(*shared, seals));
  return !added;
}

Status check_is_folder_of(store::LeadWatch& leader, const Config& config) {
  ASSIGN_OR_RETURN(const store::Lead lead, leader.look());
  if (lead.ours || lead.clock == WallTime{}) return {};
  ASSIGN_OR_RETURN(Compared found, compare_files(leader, config));
  ASSIGN_OR_RETURN(const bool no_key, lacks_secret_key(leader, config));
  if (no_key) found.missing.push_back({"secrets.key", "has not the key of the store's Secrets"});
  if (!found.told && found.missing.empty())
    found.missing.push_back({"store-holder", "is not of the instance that led last"});
  return found.missing.empty() ? Status() : Status(files_differ(std::move(found.missing)));
}

}  // namespace paddock::app
