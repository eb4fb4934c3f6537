// Rows that are yet to be inserted: those of one statement go to the server as one, by arrays.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "controller/store/postgres/parameter.h"

namespace paddock::store::postgres {

// How what inserts one row inserts many.
struct RowInsert {
  std::string table;
  std::string sql;  // INSERT INTO table (…) SELECT * FROM unnest($1, …) ON CONFLICT …
};
// Pure. `sql`: with its placeholders `?`. Nothing, unless it inserts just one row, of just its
// parameters in their order, and says at most what to do about a conflict with a row that is there:
// a caller that has it inserted later knows that nothing else of the batch has its key.
std::optional<RowInsert> as_row_insert(std::string_view sql);

class GatheredRows {
 public:
  // `insert` outlives this.
  void add(const RowInsert& insert, const std::vector<Parameter>& row);
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
    const RowInsert* insert = nullptr;
    std::vector<Array> columns;
  };
  Table& table_of(const RowInsert& insert, size_t columns);

  std::vector<Table> tables_;
  size_t bytes_ = 0;
};

}  // namespace paddock::store::postgres
