// Rows that are yet to be written: those of one statement go to the server as one, by arrays.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "controller/store/postgres/parameter.h"

namespace paddock::store::postgres {

// A statement that writes one row, as it is sent for many.
struct RowWrite {
  std::string table;  // empty: it changes rows that are there
  // INSERT INTO table (…) SELECT * FROM unnest($1, …) ON CONFLICT …; or
  // UPDATE table SET … FROM unnest($1, …) AS n (…) WHERE …
  std::string sql;
  size_t keys = 0;  // UPDATE: that many of its columns, the last ones, say which row
};
// How the statement is sent for many rows. `sql`: with its placeholders `?`. Nothing, unless it is
// one of two kinds:
// - It inserts just one row, of just its parameters in their order, and says at most what to do
//   about a conflict with a row that is there. A caller that has it inserted later knows that
//   nothing else of the batch has its key.
// - It sets columns of one row to just its parameters, where others are just its parameters.
// Pure.
std::optional<RowWrite> as_row_write(std::string_view sql);

class GatheredRows {
 public:
  // `write` outlives this. Not where has_update().
  void add(const RowWrite& write, const std::vector<Parameter>& row);
  // Whether this row is changed here already: one statement would change it only once, and nobody
  // could say to what.
  bool has_update(const RowWrite& write, const std::vector<Parameter>& row) const;
  // Behind what is here.
  void append(const GatheredRows& later);
  bool empty() const { return tables_.empty(); }
  size_t bytes() const { return bytes_; }
  void clear();

  using Send = std::function<Status(const std::string& sql, const std::vector<Parameter>& values)>;
  // Each table's once, objects before what belongs to them; then nothing is left here.
  Status send_all(const Send& send);

 private:
  struct Table {
    const RowWrite* write = nullptr;
    std::vector<Array> columns;
    std::set<std::string> keys;  // of the rows that an UPDATE changes
  };
  Table& table_of(const RowWrite& write, size_t columns);

  std::vector<Table> tables_;
  size_t bytes_ = 0;
};

}  // namespace paddock::store::postgres
