// The record of blobs that a run's node sent as artifacts of that run.
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

Result<bool> Transaction::was_sent(const std::string& run_uid, const std::string& digest) {
  return db_.prepare("SELECT 1 FROM sent_blobs WHERE run_uid = ? AND digest IN (?, '*')")
      .bind(run_uid)
      .bind(digest)
      .step();
}

Status Transaction::put_sent_blob(const std::string& run_uid, const std::string& digest) {
  if (RunFacts* known = ahead_.facts(run_uid)) known->has_sent_blobs = true;
  return db_
      .prepare("INSERT INTO sent_blobs (run_uid, digest) VALUES (?, ?) ON CONFLICT DO NOTHING")
      .bind(run_uid)
      .bind(digest)
      .run();
}

Status Transaction::drop_sent_blobs(const std::string& run_uid) {
  RunFacts* known = ahead_.facts(run_uid);
  if (known != nullptr && !known->has_sent_blobs) return {};
  if (known != nullptr) known->has_sent_blobs = false;
  return db_.prepare("DELETE FROM sent_blobs WHERE run_uid = ?").bind(run_uid).run_soon();
}

}  // namespace paddock::store::sql
