#include "controller/api/handlers/meta/backups.h"

#include <unistd.h>

#include "common/base/text.h"
#include "common/cas/blobs.h"
#include "common/os/file.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"
#include "controller/k8s/objects.h"
#include "controller/store/backup.h"
#include "controller/workspaces/blob_backup.h"

namespace paddock::api {

// The answer names the backup, not where it is: that is the operator's to know.
Result<Response> make_backup(Call& call) {
  const std::string& data_dir = call.services.data_dir;
  if (data_dir.empty())
    return Error{Code::kFailedPrecondition, "STORE_IN_MEMORY", "this store has no file"};
  if (call.services.backed_up_elsewhere) return store::backed_up_elsewhere();
  const std::string name = call.body.text("name");
  if (!k8s::is_dns_label(name)) {
    return invalid_argument("NAME_INVALID",
                            "a backup's name is at most 63 lower-case letters, digits and dashes",
                            "name");
  }
  const std::string folder = os::join_path(data_dir, "backups");
  TRY(os::make_dirs(folder, 0700));
  const std::string copy = os::join_path(folder, name + ".db");
  ASSIGN_OR_RETURN(const int64_t bytes,
                   store::back_up(os::join_path(data_dir, "paddock.db"), copy));
  const auto kept =
      workspaces::keep_blobs(call.services.blobs, os::join_path(folder, name + ".blobs"));
  if (!kept.ok()) {
    ::unlink(copy.c_str());  // one without its files would be taken for a whole one
    return kept.error();
  }
  contracts::ObjectMeta meta;
  meta.name = name;
  TRY(call.services.store.write([&](store::WriteTxn& txn) {
    return record(txn, call, contracts::audit::kBackupCreate, "backups", meta);
  }));
  return json_response(
      wire::Value::Object{
          {"name", name}, {"bytes", bytes}, {"blobs", kept->blobs}, {"blobBytes", kept->bytes}},
      201);
}

}  // namespace paddock::api
