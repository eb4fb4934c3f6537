// What the store's statements need of an engine: a connection, its statements, and the numbers of
// new rows. The SQL is the same for all; where engines differ, they translate it (each in a file of
// its own), and this says what they must agree on:
//  - placeholders are `?` in their order, or `?N`; texts sort by their bytes;
//  - "no limit" is kNoLimit, since a negative LIMIT is not for all;
//  - after a statement that failed nothing but the end of its savepoint may follow.
// Not thread-safe: a connection has one user at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "controller/store/records.h"
#include "controller/store/sql/read_ahead.h"

namespace paddock::store::sql {

inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Text that is stored as bytes.
struct Blob {
  std::string_view bytes;
};

// One statement of a connection, as its engine keeps it. A fault while preparing or binding is kept
// and returned by step(). What is bound must stay until the first step.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual void bind_integer(int64_t value) = 0;
  virtual void bind_text(std::string_view value) = 0;
  virtual void bind_blob(std::string_view value) = 0;
  virtual void bind_null() = 0;  // of an integer
  virtual Result<bool> step() = 0;
  // For a statement that fails only by a fault of the engine. It may be sent together with later
  // ones, when its change is already over, so an error ends the whole transaction.
  virtual Status run_soon() = 0;
  virtual int64_t integer(int column) const = 0;
  virtual bool is_null(int column) const = 0;
  virtual std::string_view bytes(int column) const = 0;  // until the next step
  virtual int64_t changed() const = 0;  // rows, by the statement that ran to its end last
  virtual void reset() = 0;
};

// A statement, borrowed from its connection and reset when this goes away. Texts that are bound
// must outlive it.
class Statement {
 public:
  explicit Statement(Cursor& cursor) : cursor_(&cursor) {}
  Statement(Statement&& other) noexcept : cursor_(std::exchange(other.cursor_, nullptr)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement() {
    if (cursor_ != nullptr) cursor_->reset();
  }

  // Binds the next parameter.
  Statement& bind(int64_t value) { return cursor_->bind_integer(value), *this; }
  Statement& bind(std::string_view value) { return cursor_->bind_text(value), *this; }
  Statement& bind(Blob value) { return cursor_->bind_blob(value.bytes), *this; }
  Statement& bind(std::optional<int64_t> value);

  Result<bool> step() { return cursor_->step(); }  // true: there is a row
  Status run();                                    // to the end, ignoring rows
  Status run_soon() { return cursor_->run_soon(); }
  Result<int64_t> run_counted();  // the rows that it changed
  // Calls `of` with each row, and returns the results in the order of the rows.
  template <class Of>
  Result<std::vector<std::invoke_result_t<Of, const Statement&>>> all(Of of);
  // The first column of the first row, or nothing.
  Result<std::optional<int64_t>> single_integer();

  int64_t integer(int column) const { return cursor_->integer(column); }
  bool is_null(int column) const { return cursor_->is_null(column); }
  std::string text(int column) const { return std::string(cursor_->bytes(column)); }

 private:
  Cursor* cursor_;  // null: moved from
};

template <class Of>
Result<std::vector<std::invoke_result_t<Of, const Statement&>>> Statement::all(Of of) {
  std::vector<std::invoke_result_t<Of, const Statement&>> out;
  while (true) {
    ASSIGN_OR_RETURN(const bool found, step());
    if (!found) return out;
    out.push_back(of(std::as_const(*this)));
  }
}

// The key in a row that begins with an object's namespace and name.
inline Key key_in(const Statement& row) { return {row.text(0), row.text(1)}; }

// Tables whose rows are numbered, each number once for all time.
enum class Series { kChanges, kObjects, kAudit };

class Connection {
 public:
  virtual ~Connection() = default;
  // `sql` must be a literal: the statement is kept under its address.
  virtual Statement prepare(const char* sql) = 0;
  // The value to bind for the next row's number; null: the engine draws it as it inserts.
  virtual std::optional<int64_t> draw(Series series) = 0;
  // The number of the row that was inserted last into this table.
  virtual int64_t drawn(Series series) const = 0;
  // The highest that was ever given; 0: none was.
  virtual Result<int64_t> last_given(Series series) = 0;
  // The link of the newest audit record, where the engine keeps it at hand; absent: read it.
  virtual std::optional<std::string> newest_link() const { return std::nullopt; }
  virtual void put_newest_link(const std::string& /*link*/) {}
  // Whether the engine knows that there was no such object when the transaction began, and nobody
  // has asked since. False: look.
  virtual bool was_absent(std::string_view /*kind*/, std::string_view /*name_space*/,
                          std::string_view /*name*/) {
    return false;
  }
  // Whether others read what changes do, beside what they leave: paddock_change_texts.
  virtual bool is_followed() const { return false; }
  // So many bytes more of those are kept. True now and then: old ones are to go.
  virtual bool is_much_text(size_t /*bytes*/) { return false; }
  // Whether each question is a round trip. If so, these two answer for many at once, in any order:
  // with the rows that exist and are not too large, and for runs also their rows in other tables.
  virtual bool is_far() const { return false; }
  virtual Result<std::vector<AheadRow>> read_runs(const std::vector<std::string>& /*uids*/) {
    return std::vector<AheadRow>();
  }
  virtual Result<std::vector<AheadRow>> read_objects(const std::vector<NewObject>& /*objects*/) {
    return std::vector<AheadRow>();
  }
  // Whether the last statement failed because it named a row that is not there.
  virtual bool missed_a_row() const = 0;
};

}  // namespace paddock::store::sql
