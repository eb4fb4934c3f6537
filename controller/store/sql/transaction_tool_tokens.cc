// The secrets of tool tokens: hashes, and by them or by their run the objects. And tool bundles.
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

Result<std::optional<FoundToolSecret>> Transaction::tool_secret(const std::string& hash) {
  Statement row = db_.prepare(
      "SELECT namespace, name, hash FROM tool_tokens JOIN objects ON uid = token_uid "
      "WHERE hash = ?");
  ASSIGN_OR_RETURN(const bool found, row.bind(hash).step());
  if (!found) return std::optional<FoundToolSecret>();
  return std::optional<FoundToolSecret>(FoundToolSecret{{row.text(0), row.text(1)}, row.text(2)});
}

Result<std::vector<Key>> Transaction::tool_tokens_of(const std::string& run_uid) {
  const RunFacts* known = ahead_.facts(run_uid);
  if (known != nullptr && !known->has_tool_tokens) return std::vector<Key>();
  Statement rows = db_.prepare(
      "SELECT namespace, name FROM tool_tokens JOIN objects ON uid = token_uid "
      "WHERE run_uid = ? ORDER BY objects.id");
  rows.bind(run_uid);
  return rows.all(key_in);
}

Result<std::vector<Key>> Transaction::tool_tokens_expired_before(int64_t time_ms, int64_t limit) {
  Statement rows = db_.prepare(
      "SELECT namespace, name FROM tool_tokens JOIN objects ON uid = token_uid "
      "WHERE expires_ms < ? ORDER BY expires_ms LIMIT ?");
  rows.bind(time_ms).bind(limit);
  return rows.all(key_in);
}

Status Transaction::put_tool_secret(const ToolSecret& secret) {
  if (RunFacts* known = ahead_.facts(secret.run_uid)) known->has_tool_tokens = true;
  return db_
      .prepare("INSERT INTO tool_tokens (token_uid, hash, run_uid, expires_ms) VALUES (?, ?, ?, ?)")
      .bind(secret.token_uid)
      .bind(secret.hash)
      .bind(secret.run_uid)
      .bind(secret.expires_ms)
      .run();
}

Result<std::optional<std::string>> Transaction::tool_bundle(const std::string& run_uid) {
  Statement row = db_.prepare("SELECT data FROM run_bundles WHERE run_uid = ?");
  ASSIGN_OR_RETURN(const bool found, row.bind(run_uid).step());
  if (!found) return std::optional<std::string>();
  return std::optional<std::string>(row.text(0));
}

Status Transaction::put_tool_bundle(const std::string& run_uid, const std::string& bundle) {
  return db_.prepare("INSERT INTO run_bundles (run_uid, data) VALUES (?, ?)")
      .bind(run_uid)
      .bind(bundle)
      .run();
}

Status Transaction::drop_tool_bundle(const std::string& run_uid) {
  return db_.prepare("DELETE FROM run_bundles WHERE run_uid = ?").bind(run_uid).run_soon();
}

}  // namespace paddock::store::sql
