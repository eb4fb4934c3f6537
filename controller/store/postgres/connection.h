// One connection to PostgreSQL. Statements are sent in pipeline mode: what has no answer that is
// waited for goes out with the next one that has (run_soon), and a writer's new rows are gathered
// until something has to see them, so that a batch of changes takes few round trips and statements.
// There are no prepared names and no settings of the session, so that a pooler may give each
// transaction another one. Not thread-safe. A lost connection stays lost: make another.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/os/fd.h"
#include "controller/store/postgres/gathered_rows.h"
#include "controller/store/postgres/parameter.h"
#include "controller/store/postgres/target.h"
#include "controller/store/sql/connection.h"

namespace paddock::store::postgres {

using sql::Series;
using sql::Statement;

struct FreeResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Answer = std::unique_ptr<PGresult, FreeResult>;

class Connection;

class PgStatement final : public sql::Cursor {
 public:
  PgStatement() = default;
  void begin(Connection* connection, const char* sql);
  void bind_integer(int64_t value) override;
  void bind_text(std::string_view value) override;
  void bind_blob(std::string_view value) override;
  void bind_null() override;
  Result<bool> step() override;
  Status run_soon() override;
  int64_t integer(int column) const override;
  bool is_null(int column) const override;
  std::string_view bytes(int column) const override;
  int64_t changed() const override { return changed_; }
  void reset() override;

 private:
  Connection* connection_ = nullptr;
  std::string sql_;
  std::optional<RowWrite> many_;  // if it is one of a single row
  size_t parameters_ = 0;
  std::vector<Parameter> bound_;
  Answer answer_;
  int row_ = -1;
  int64_t changed_ = 0;
};

// The last number that was given in each series, and the link of the newest audit record, if there
// is any. The leader alone writes, so it keeps them.
struct Numbers {
  std::array<int64_t, 3> given{};
  std::optional<std::string> newest_link = {};
  int64_t& of(Series series) { return given[static_cast<size_t>(series)]; }
  int64_t of(Series series) const { return given[static_cast<size_t>(series)]; }
};

class Connection final : public sql::Connection {
 public:
  // STORE_AWAY, STORE_LOGIN_REFUSED, STORE_TLS_UNVERIFIED, STORE_READ_ONLY, STORE_BUSY. `name`: by
  // which its session is found at the server.
  static Result<std::unique_ptr<Connection>> open(const Target& target, const std::string& name);

  Statement prepare(const char* sql) override;
  std::optional<int64_t> draw(Series series) override { return ++numbers.of(series); }
  int64_t drawn(Series series) const override { return numbers.of(series); }
  Result<int64_t> last_given(Series series) override;
  std::optional<std::string> newest_link() const override { return numbers.newest_link; }
  void put_newest_link(const std::string& link) override { numbers.newest_link = link; }
  bool missed_a_row() const override;
  bool was_absent(std::string_view kind, std::string_view name_space,
                  std::string_view name) override;

  bool is_followed() const override { return followed_; }
  bool is_much_text(size_t bytes) override;
  bool is_far() const override { return true; }
  Result<std::vector<sql::AheadRow>> read_runs(const std::vector<std::string>& uids) override;
  Result<std::vector<sql::AheadRow>> read_objects(const std::vector<NewObject>& objects) override;

  // Sends it, and what was sent before; the answer of this one, or the first error of any.
  Result<Answer> ask(const std::string& sql, const std::vector<Parameter>& parameters = {});
  // Sends it with what follows.
  Status soon(const std::string& sql, const std::vector<Parameter>& parameters = {});
  // Waits for all that was sent: the first error of any.
  Status finish();

  // How long one answer may take: 40 s unless this is said. A connection that takes longer is lost.
  void give_up_after(Millis limit) { answer_ms_ = static_cast<int>(limit.count()); }

  // For the connection that writes. From now on, rows for write_soon() are gathered and sent
  // together, before whatever is sent next. If a part is undone first, its rows are not sent at
  // all.
  void gather() { gathers_ = true; }
  bool gathers() const { return gathers_; }
  Status write_soon(const RowWrite& write, const std::vector<Parameter>& row);
  // A part of the transaction that can be undone by itself. Its savepoint is made when something of
  // it is sent. The caller that keeps it does not wait for what it sent: if that fails after all,
  // the transaction is spoiled and nothing of it may be committed.
  void begin_part();
  Status keep_part();
  Status undo_part();
  bool spoiled() const { return spoiled_; }
  // For a new transaction: forgets the rows that were gathered, and that the last one was spoiled.
  void begin_anew();
  // Whether somebody followed the changes when the transaction began.
  void put_followed(bool followed) { followed_ = followed; }
  // Names objects that did not exist when the transaction began. Each is asked for once.
  void put_absent(std::unordered_set<std::string> names) { absent_ = std::move(names); }
  static std::string absent_key(std::string_view kind, std::string_view name_space,
                                std::string_view name);

  // Whether there is anything that changes rows and has no answer yet.
  bool owes() const { return owes_ || !kept_rows_.empty() || !own_rows_.empty(); }
  bool lost() const { return lost_; }
  // Breaks it while it is used: no answer comes any more. Any thread, while it lives.
  void hang_up() const;
  // While nobody uses it: whether the server has ended it meanwhile.
  bool ended_by_server();
  // Rows that were changed since it was made.
  int64_t changes() const { return changes_; }
  int process() const { return PQbackendPID(db_.get()); }

  // The writer's.
  Numbers numbers;

 private:
  struct Close {
    void operator()(PGconn* db) const { PQfinish(db); }
  };
  using Db = std::unique_ptr<PGconn, Close>;
  Connection(Db db, os::Fd line) : db_(std::move(db)), line_(std::move(line)) {}

  Status send(const std::string& sql, const std::vector<Parameter>& parameters = {});
  Status send_rows(GatheredRows& rows);
  Status send_gathered();
  Result<Answer> collect();
  Status collect_one(Answer& kept);
  Status collect_sync();
  Result<Answer> next_answer();
  Status wait_readable();
  Error lose(const std::string& why);
  void note(const PGresult* answer);

  Db db_;
  os::Fd line_;             // its socket once more, which libpq does not close meanwhile
  int answer_ms_ = 40'000;  // beyond what a statement may take at the server
  std::unordered_map<const char*, PgStatement> statements_;
  size_t sent_ = 0;       // without an answer yet
  size_t sent_kept_ = 0;  // how many of them, the first, are of parts that are kept
  size_t sent_bytes_ = 0;
  bool gathers_ = false;
  GatheredRows kept_rows_;  // of parts that are kept
  GatheredRows own_rows_;   // of the part that is open
  enum class Part { kNone, kOpen, kSent } part_ = Part::kNone;
  bool spoiled_ = false;
  bool followed_ = false;
  size_t text_bytes_ = 0;  // since it was much
  std::unordered_set<std::string> absent_;
  bool owes_ = false;
  bool lost_ = false;
  int64_t changes_ = 0;
  std::string last_state_;
};

// A column of an answer.
int64_t integer_in(const PGresult* answer, int row, int column);
std::string_view bytes_in(const PGresult* answer, int row, int column);

}  // namespace paddock::store::postgres
