// The sealed values of Secrets: rows that nothing in the store can read.
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

Result<std::vector<SealedValue>> Transaction::sealed_values(const std::string& secret_uid) {
  Statement rows = db_.prepare(
      "SELECT name, key_id, sealed FROM secret_values WHERE secret_uid = ? ORDER BY name");
  rows.bind(secret_uid);
  return rows.all([](const Statement& row) {
    return SealedValue{row.text(0), row.text(1), row.text(2)};
  });
}

Result<std::vector<FoundSealedValue>> Transaction::all_sealed_values() {
  Statement rows = db_.prepare(
      "SELECT namespace, objects.name, uid, secret_values.name, key_id, sealed FROM secret_values "
      "JOIN objects ON uid = secret_uid ORDER BY objects.id, secret_values.name");
  return rows.all([](const Statement& row) {
    return FoundSealedValue{
        {row.text(0), row.text(1)}, row.text(2), {row.text(3), row.text(4), row.text(5)}};
  });
}

Result<std::vector<std::string>> Transaction::sealing_keys() {
  Statement rows = db_.prepare("SELECT DISTINCT key_id FROM secret_values ORDER BY key_id");
  return rows.all([](const Statement& row) { return row.text(0); });
}

Status Transaction::put_sealed_value(const std::string& secret_uid, const SealedValue& value) {
  return db_
      .prepare(
          "INSERT INTO secret_values (secret_uid, name, key_id, sealed) VALUES (?, ?, ?, ?) "
          "ON CONFLICT (secret_uid, name) DO UPDATE SET key_id = excluded.key_id, "
          "sealed = excluded.sealed")
      .bind(secret_uid)
      .bind(value.name)
      .bind(value.key_id)
      .bind(Blob{value.sealed})
      .run();
}

Status Transaction::drop_sealed_value(const std::string& secret_uid, const std::string& name) {
  return db_.prepare("DELETE FROM secret_values WHERE secret_uid = ? AND name = ?")
      .bind(secret_uid)
      .bind(name)
      .run();
}

}  // namespace paddock::store::sql
