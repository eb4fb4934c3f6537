// What the writer's connection gathers, and the parts of its transaction.
#include <utility>

#include "controller/store/postgres/connection.h"
#include "controller/store/postgres/errors.h"

namespace paddock::store::postgres {

namespace {
constexpr size_t kMostGatheredBytes = size_t{4} << 20;
}

Status Connection::write_soon(const RowWrite& write, const std::vector<Parameter>& row) {
  if (lost_) return lost_error("before");
  if (kept_rows_.has_update(write, row) || own_rows_.has_update(write, row)) TRY(send_gathered());
  (part_ == Part::kNone ? kept_rows_ : own_rows_).add(write, row);
  return kept_rows_.bytes() + own_rows_.bytes() > kMostGatheredBytes ? send_gathered() : Status();
}

Status Connection::send_rows(GatheredRows& rows) {
  if (rows.empty()) return {};
  owes_ = true;
  return rows.send_all([this](const std::string& sql, const std::vector<Parameter>& values) {
    return send(sql, values);
  });
}

// Rows of parts that are kept are sent outside of the savepoint, those of the open part within it.
Status Connection::send_gathered() {
  TRY(send_rows(kept_rows_));
  if (part_ == Part::kOpen) {
    part_ = Part::kSent;
    sent_kept_ = sent_;
    TRY(send("SAVEPOINT part"));
  }
  return send_rows(own_rows_);
}

void Connection::begin_part() { part_ = Part::kOpen; }

Status Connection::keep_part() {
  kept_rows_.append(own_rows_);
  own_rows_.clear();
  if (std::exchange(part_, Part::kNone) != Part::kSent) return {};
  TRY(send("RELEASE part"));
  sent_kept_ = sent_;
  return {};
}

Status Connection::undo_part() {
  own_rows_.clear();
  if (std::exchange(part_, Part::kNone) != Part::kSent) return {};
  const Status fault = finish();  // mostly what ends the part
  if (spoiled_) return fault;
  TRY(send("ROLLBACK TO part"));
  TRY(send("RELEASE part"));
  return finish();
}

void Connection::begin_anew() {
  kept_rows_.clear();
  own_rows_.clear();
  part_ = Part::kNone;
  spoiled_ = false;
  sent_kept_ = 0;
  absent_.clear();
}

}  // namespace paddock::store::postgres
