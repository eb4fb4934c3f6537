#include "controller/app/shared_folder.h"

#include <sys/stat.h>

#include <array>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "controller/app/listening.h"
#include "controller/app/open_blobs.h"
#include "controller/http_server/certificate_files.h"
#include "controller/receipts/receipt_keys.h"
#include "controller/secrets/vault.h"

namespace paddock::app {
namespace {

constexpr const char* kField = "store.postgres.sharedDir";

struct SharedFile {
  const char* name;   // in the folder
  const char* place;  // in the data folder
  bool (*needed)(const Config& config);
};

bool always(const Config&) { return true; }
bool with_bucket(const Config& config) { return config.blobs.s3.used(); }
bool with_enroll_token(const Config& config) { return config.enroll_token; }

constexpr std::array kFiles = {
    SharedFile{"ca.pem", "tls/ca.pem", serves_local_ca},
    SharedFile{"ca-key.pem", "tls/ca-key.pem", serves_local_ca},
    SharedFile{"admin-token", "tokens/admin", always},
    SharedFile{"enroll-token", "tokens/enroll", with_enroll_token},
    SharedFile{"execute-token", "tokens/execute", wants_execute_token},
    SharedFile{"secrets.key", "secrets.key", always},
    SharedFile{"receipt-keys.pem", "receipt-keys.pem", always},
    SharedFile{"bucket-id", "bucket-id", with_bucket},
};

Status take_one(const Config& config, const SharedFile& file) {
  const std::string place = os::join_path(config.data_dir, file.place);
  ASSIGN_OR_RETURN(const bool taken, os::is_there(place));
  if (taken) return {};
  constexpr size_t kMostBytes = 1 << 20;
  const auto text =
      os::read_file(os::join_path(config.store.postgres.shared_dir, file.name), kMostBytes);
  if (!text.ok())
    return invalid_argument(
        "CONFIG_INVALID",
        cat("has no ", file.name,
            " that can be read; `paddock-controller --make-shared-files DIR` makes all of it"),
        kField);
  log_info("took a file that controllers share", {{"file", file.place}});
  return os::write_file_atomic(place, *text, 0600);
}

Status make_in(const std::string& scratch, const Clock& clock, Random& random) {
  Config config;
  config.data_dir = scratch;
  config.execute.host = "0.0.0.0";  // with a token of its own
  config.execute.port = 1;
  ASSIGN_OR_RETURN(const auto store, store::Store::open({}));
  TRY(http_server::prepare_tls(certificate_settings(config), random, clock.wall()));
  TRY(api::prepare_tokens(*store, first_tokens(config), random));
  TRY(secrets::Vault(os::join_path(scratch, "secrets.key")).make_ready(*store, random));
  TRY(receipts::ReceiptKeys(os::join_path(scratch, "receipt-keys.pem")).list());
  return os::write_file_atomic(bucket_mark(scratch), make_uuid(random) + "\n");
}

}  // namespace

Status take_shared_files(const Config& config) {
  if (config.store.postgres.shared_dir.empty()) return {};
  for (const char* folder : {"tls", "tokens"})
    TRY(os::make_dirs(os::join_path(config.data_dir, folder), 0700));
  for (const SharedFile& file : kFiles) {
    if (file.needed(config)) TRY(take_one(config, file));
  }
  return {};
}

Result<secrets::KeyRing> shared_secret_keys(const Config& config) {
  if (config.store.postgres.shared_dir.empty()) return secrets::KeyRing();
  return secrets::Vault(os::join_path(config.store.postgres.shared_dir, "secrets.key")).keys();
}

Status make_shared_files(const std::string& folder, const Clock& clock, Random& random) {
  TRY(os::make_dirs(folder, 0700));
  ASSIGN_OR_RETURN(const auto there, os::list_dir(folder));
  if (!there.empty())
    return invalid_argument("FLAG_INVALID", "--make-shared-files takes a new or an empty folder");
  const std::string scratch = os::join_path(folder, ".making");
  TRY(os::make_dirs(scratch, 0700));
  TRY(make_in(scratch, clock, random));
  for (const SharedFile& file : kFiles) {
    ASSIGN_OR_RETURN(const std::string text, os::read_file(os::join_path(scratch, file.place)));
    TRY(os::write_file_atomic(os::join_path(folder, file.name), text, 0600));
  }
  return os::remove_tree(scratch);
}

}  // namespace paddock::app
