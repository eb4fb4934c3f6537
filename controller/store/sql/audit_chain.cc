#include "controller/store/sql/audit_chain.h"

#include <vector>

#include "common/audit_chain/chain.h"
#include "common/base/text.h"

namespace paddock::store::sql {

namespace {

using contracts::ChainPlace;

constexpr std::string_view kAnchor = "audit-anchor";
constexpr int64_t kChainedAtOnce = 1000;

// `1200 <link>`.
ChainPlace anchor_in(const std::string& text) {
  const size_t space = text.find(' ');
  const auto id = parse_integer<int64_t>(std::string_view(text).substr(0, space));
  if (space == std::string::npos || !id) return {0, text};
  return {*id, text.substr(space + 1)};
}

struct Unlinked {
  int64_t id = 0;
  std::string data;
};

Result<std::vector<Unlinked>> records_behind(Connection& db, int64_t id) {
  Statement rows = db.prepare("SELECT id, data FROM audit WHERE id > ? ORDER BY id LIMIT ?");
  rows.bind(id).bind(kChainedAtOnce);
  return rows.all([](const Statement& row) { return Unlinked{row.integer(0), row.text(1)}; });
}

Status link_behind(Connection& db, ChainPlace place) {
  while (true) {
    ASSIGN_OR_RETURN(const auto records, records_behind(db, place.id));
    if (records.empty()) return {};
    for (const Unlinked& each : records) {
      place = {each.id, audit_chain::link(place.hash, each.id, each.data)};
      TRY(db.prepare("UPDATE audit SET hash = ? WHERE id = ?")
              .bind(place.hash)
              .bind(each.id)
              .run());
    }
  }
}

}  // namespace

Result<ChainPlace> audit_anchor(Connection& db) {
  Statement row = db.prepare("SELECT value FROM settings WHERE key = ?");
  ASSIGN_OR_RETURN(const bool found, row.bind(kAnchor).step());
  return found ? anchor_in(row.text(0)) : ChainPlace();
}

Status put_audit_anchor(Connection& db, const ChainPlace& anchor) {
  const std::string text = cat(anchor.id, " ", anchor.hash);
  return db
      .prepare(
          "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET "
          "value = excluded.value")
      .bind(kAnchor)
      .bind(text)
      .run();
}

Result<ChainPlace> audit_head(Connection& db) {
  Statement row = db.prepare("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1");
  ASSIGN_OR_RETURN(const bool found, row.step());
  if (found) return ChainPlace{row.integer(0), row.text(1)};
  return audit_anchor(db);
}

Result<NextLink> next_link(Connection& db) {
  NextLink next;
  if (const auto drawn = db.draw(Series::kAudit)) {
    next.id = *drawn;
  } else {
    ASSIGN_OR_RETURN(const int64_t given, db.last_given(Series::kAudit));
    next.id = given == kNoLimit ? given : given + 1;  // the last number of all is given once more
  }
  if (auto link = db.newest_link()) {
    next.before = std::move(*link);
    return next;
  }
  Statement row = db.prepare("SELECT hash FROM audit ORDER BY id DESC LIMIT 1");
  ASSIGN_OR_RETURN(const bool found, row.step());
  if (found) {
    next.before = row.text(0);
    return next;
  }
  ASSIGN_OR_RETURN(ChainPlace anchor, audit_anchor(db));
  next.before = std::move(anchor.hash);
  return next;
}

Status chain_records(Connection& db) {
  Statement oldest = db.prepare("SELECT min(id) FROM audit");
  ASSIGN_OR_RETURN(const std::optional<int64_t> first, oldest.single_integer());
  ASSIGN_OR_RETURN(const int64_t given, db.last_given(Series::kAudit));
  const ChainPlace anchor{first ? *first - 1 : given};
  if (anchor.id > 0) TRY(put_audit_anchor(db, anchor));
  return link_behind(db, anchor);
}

}  // namespace paddock::store::sql
