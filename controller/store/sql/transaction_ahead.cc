// Reading ahead, for an engine that is far away, and the use of what was read.
#include <algorithm>

#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {

namespace {

constexpr size_t kAtOnce = 256;

// Asks for those of `all` in a few questions.
template <class T, class Ask>
Status in_pieces(const std::vector<T>& all, const Ask& ask) {
  for (size_t from = 0; from < all.size(); from += kAtOnce) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
    const size_t count = std::min(kAtOnce, all.size() - from);
    TRY(ask(std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(count))));
  }
  return {};
}

}  // namespace

void Transaction::take_ahead(std::vector<AheadRow> rows) {
  for (AheadRow& row : rows) {
    if (row.facts) heads_.try_emplace(row.uid, RunHead{row.object_id, row.key, row.last_event});
    ahead_.put(std::move(row));
  }
}

Status Transaction::expect_runs(const std::vector<std::string>& uids) {
  if (!db_.is_far()) return {};
  return in_pieces(uids, [this](const std::vector<std::string>& some) -> Status {
    if (ahead_.full()) return {};
    ASSIGN_OR_RETURN(std::vector<AheadRow> rows, db_.read_runs(some));
    take_ahead(std::move(rows));
    return {};
  });
}

Status Transaction::expect_objects(const std::vector<NewObject>& objects) {
  if (!db_.is_far()) return {};
  return in_pieces(objects, [this](const std::vector<NewObject>& some) -> Status {
    if (ahead_.full()) return {};
    ASSIGN_OR_RETURN(std::vector<AheadRow> rows, db_.read_objects(some));
    take_ahead(std::move(rows));
    return {};
  });
}

void Transaction::keep_ahead(std::string_view kind, const Key& key, const Statement& row) {
  if (!db_.is_far()) return;
  AheadRow kept;
  kept.kind = kind;
  kept.key = key;
  kept.resource_version = row.integer(1);
  kept.data = row.text(0);
  if (kept.data.size() > ReadAhead::kMostBytesOfOne) return;
  ahead_.put(std::move(kept));
}

// Whether a foreign key to it cannot fail.
bool Transaction::is_known_run(const std::string& uid) { return heads_.contains(uid); }

}  // namespace paddock::store::sql
