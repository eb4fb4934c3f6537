// Tokens, settings and idempotency keys: facts beside the API objects.
#include "common/base/text.h"
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

namespace {

TokenRecord token_from(const Statement& row) {
  TokenRecord token;
  token.id = row.text(0);
  token.hash = row.text(1);
  token.subject = row.text(2);
  if (const std::string scopes = row.text(3); !scopes.empty()) token.scopes = split(scopes, ' ');
  token.name_space = row.text(4);
  if (!row.is_null(5)) token.expires_ms = row.integer(5);
  token.revoked = row.integer(6) != 0;
  return token;
}

}  // namespace

Result<std::optional<TokenRecord>> Transaction::token_by_hash(const std::string& hash) {
  Statement row = db_.prepare(
      "SELECT id, hash, subject, scopes, namespace, expires_ms, revoked FROM tokens "
      "WHERE hash = ?");
  ASSIGN_OR_RETURN(const bool found, row.bind(hash).step());
  if (!found) return std::optional<TokenRecord>();
  return std::optional<TokenRecord>(token_from(row));
}

Result<std::vector<TokenRecord>> Transaction::tokens() {
  Statement rows = db_.prepare(
      "SELECT id, hash, subject, scopes, namespace, expires_ms, revoked FROM tokens ORDER BY id");
  return rows.all([](const Statement& row) { return token_from(row); });
}

Status Transaction::put_token(const TokenRecord& token) {
  tokens_changed_ = true;
  const std::string scopes = join(token.scopes, " ");
  return db_
      .prepare(
          "INSERT INTO tokens (id, hash, subject, scopes, namespace, expires_ms, revoked) "
          "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, "
          "subject = excluded.subject, scopes = excluded.scopes, "
          "namespace = excluded.namespace, expires_ms = excluded.expires_ms, "
          "revoked = excluded.revoked")
      .bind(token.id)
      .bind(token.hash)
      .bind(token.subject)
      .bind(scopes)
      .bind(token.name_space)
      .bind(token.expires_ms)
      .bind(int64_t{token.revoked})
      .run();
}

Result<int64_t> Transaction::prune_tokens(int64_t now_ms, int64_t kept_ms, int64_t most) {
  tokens_changed_ = true;
  TRY(db_.prepare("UPDATE tokens SET expires_ms = ?1 "
                  "WHERE revoked = 1 AND (expires_ms IS NULL OR expires_ms > ?1)")
          .bind(now_ms)
          .run());
  TRY(db_.prepare("DELETE FROM settings WHERE key IN (SELECT ?3 || id FROM tokens "
                  "WHERE revoked IN (0, 1) AND expires_ms < ?1 ORDER BY expires_ms, id LIMIT ?2)")
          .bind(now_ms - kept_ms)
          .bind(most)
          .bind(kTokenUse)
          .run());
  TRY(db_.prepare("DELETE FROM idempotent_creates WHERE scope LIKE '% /admin/tokens' "
                  "AND name IN (SELECT id FROM tokens "
                  "WHERE revoked IN (0, 1) AND expires_ms < ?1 ORDER BY expires_ms, id LIMIT ?2)")
          .bind(now_ms - kept_ms)
          .bind(most)
          .run());
  return db_
      .prepare(
          "DELETE FROM tokens WHERE id IN (SELECT id FROM tokens "
          "WHERE revoked IN (0, 1) AND expires_ms < ?1 ORDER BY expires_ms, id LIMIT ?2)")
      .bind(now_ms - kept_ms)
      .bind(most)
      .run_counted();
}

Result<std::optional<std::string>> Transaction::setting(const std::string& key) {
  Statement row = db_.prepare("SELECT value FROM settings WHERE key = ?");
  ASSIGN_OR_RETURN(const bool found, row.bind(key).step());
  if (!found) return std::optional<std::string>();
  return std::optional<std::string>(row.text(0));
}

Status Transaction::put_setting(const std::string& key, const std::string& value) {
  return db_
      .prepare(
          "INSERT INTO settings (key, value) VALUES (?, ?) "
          "ON CONFLICT (key) DO UPDATE SET value = excluded.value")
      .bind(key)
      .bind(value)
      .run();
}

// The first object's row has the key itself, those behind it a space and their number: no key that
// a caller may send lies between those and `key!`.
Result<std::vector<ReadTxn::IdempotentCreate>> Transaction::idempotent_creates(
    const std::string& scope, const std::string& key) {
  if (db_.was_absent(kIdempotencyKind, scope, key)) return std::vector<IdempotentCreate>();
  Statement rows = db_.prepare(
      "SELECT name, request_digest FROM idempotent_creates "
      "WHERE scope = ?1 AND key >= ?2 AND key < ?3 ORDER BY key");
  const std::string end = key + "!";
  rows.bind(scope).bind(key).bind(end);
  return rows.all([](const Statement& row) { return IdempotentCreate{row.text(0), row.text(1)}; });
}

// Whoever puts one has looked for it in the same change: no other of the batch has its key unseen.
Status Transaction::put_idempotent_create(const std::string& scope, const std::string& key,
                                          size_t item, const IdempotentCreate& made) {
  const std::string digits = std::to_string(item);
  const std::string padding(digits.size() < 6 ? 6 - digits.size() : 0, '0');
  const std::string row_key = item == 0 ? key : cat(key, " ", padding, digits);
  return db_
      .prepare(
          "INSERT INTO idempotent_creates (scope, key, name, request_digest) "
          "VALUES (?, ?, ?, ?) ON CONFLICT (scope, key) DO UPDATE SET name = excluded.name, "
          "request_digest = excluded.request_digest")
      .bind(scope)
      .bind(row_key)
      .bind(made.name)
      .bind(made.request_digest)
      .run_soon();
}

}  // namespace paddock::store::sql
