#include "controller/store/move/copy.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "controller/store/move/tables.h"

namespace paddock::store::move {

namespace {

using sql::Statement;

struct Value {
  std::optional<int64_t> number;  // of an integer; absent: null
  std::string bytes;              // of all else
};
using Row = std::vector<Value>;
using Page = std::vector<Row>;

void bind(Statement& statement, const Column& column, const Value& value) {
  if (column.type == ColumnType::kInteger) {
    statement.bind(value.number);
  } else if (column.type == ColumnType::kBytes) {
    statement.bind(sql::Blob{value.bytes});
  } else {
    statement.bind(std::string_view(value.bytes));
  }
}

Row row_of(const Table& table, const Statement& statement) {
  Row row;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const int column = static_cast<int>(i);
    Value value;
    if (table.columns[i].type != ColumnType::kInteger) {
      value.bytes = statement.text(column);
    } else if (!statement.is_null(column)) {
      value.number = statement.integer(column);
    }
    row.push_back(std::move(value));
  }
  return row;
}

// In the order of the key; `after`: the last row that was read, or none.
Result<Page> read_page(sql::Connection& db, const Table& table, const std::optional<Row>& after) {
  Statement rows = db.prepare((after ? table.next_page : table.first_page).c_str());
  for (size_t i = 0; after && i < table.key; ++i) bind(rows, table.columns[i], (*after)[i]);
  Page page;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) return page;
    page.push_back(row_of(table, rows));
  }
}

Status put_rows(sql::Connection& db, const Table& table, const char* sql, const Row* first,
                size_t count) {
  Statement insert = db.prepare(sql);
  for (size_t row = 0; row < count; ++row) {
    for (size_t i = 0; i < table.columns.size(); ++i) bind(insert, table.columns[i], first[row][i]);
  }
  return insert.run_soon();
}

Status put_page(sql::Connection& db, const Table& table, const Page& page) {
  if (page.size() == kPage) return put_rows(db, table, table.put_page.c_str(), page.data(), kPage);
  for (const Row& row : page) TRY(put_rows(db, table, table.put_one.c_str(), &row, 1));
  return {};
}

void append_number(std::string& out, uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xff);
}

// Such that no two rows are the same bytes: each value with its type and length.
std::string canonical(const Table& table, const Row& row) {
  std::string out;
  for (size_t i = 0; i < row.size(); ++i) {
    const ColumnType type = table.columns[i].type;
    if (type != ColumnType::kInteger) {
      out += type == ColumnType::kText ? 't' : 'b';
      append_number(out, row[i].bytes.size());
      out += row[i].bytes;
    } else if (row[i].number) {
      out += 'i';
      append_number(out, static_cast<uint64_t>(*row[i].number));
    } else {
      out += 'n';
    }
  }
  return out;
}

Status check_texts(const Table& table, const Row& row, int64_t number) {
  for (size_t i = 0; i < row.size(); ++i) {
    const std::string& bytes = row[i].bytes;
    const bool text = table.columns[i].type == ColumnType::kText;
    if (!text || (is_utf8(bytes) && bytes.find('\0') == std::string::npos)) continue;
    return Error{Code::kInternal, "STORE_DATA_INVALID",
                 cat("row ", number, " of ", table.name, " has in ", table.columns[i].name,
                     " what is no text in UTF-8, or a NUL: PostgreSQL cannot keep it; nothing was "
                     "moved")};
  }
  return {};
}

using Take = std::function<Status(const Page&)>;

// Tells `take` of each page, and what all of them were.
Result<MovedTable> go_through(sql::Connection& db, const Table& table, const Take& take) {
  MovedTable out{table.name, 0, {}};
  crypto::Sha256 digest;
  std::optional<Row> last;
  while (true) {
    ASSIGN_OR_RETURN(Page page, read_page(db, table, last));
    for (const Row& row : page) {
      TRY(check_texts(table, row, ++out.rows));
      digest.update(canonical(table, row));
    }
    TRY(take(page));
    if (page.size() < kPage) break;
    last = std::move(page.back());
  }
  out.digest = digest.finish_hex();
  return out;
}

Result<Inventory> go_through_all(sql::Connection& db,
                                 const std::function<Status(const Table&, const Page&)>& take) {
  Inventory all;
  for (const Table& table : tables()) {
    ASSIGN_OR_RETURN(MovedTable one, go_through(db, table, [&](const Page& page) -> Status {
                       return take(table, page);
                     }));
    all.tables.push_back(std::move(one));
  }
  ASSIGN_OR_RETURN(all.given, given(db));
  return all;
}

Error differs(const std::string& what) {
  return {Code::kInternal, "STORE_MOVE_DIFFERS",
          cat(what, " arrived otherwise than it was; nothing was moved")};
}

}  // namespace

Result<Given> given(sql::Connection& db) {
  Given out{};
  for (const auto series : {sql::Series::kChanges, sql::Series::kObjects, sql::Series::kAudit}) {
    ASSIGN_OR_RETURN(out[static_cast<size_t>(series)], db.last_given(series));
  }
  return out;
}

Result<Inventory> copy_all(sql::Connection& from, sql::Connection& to) {
  return go_through_all(
      from, [&](const Table& table, const Page& page) { return put_page(to, table, page); });
}

Result<Inventory> take_stock(sql::Connection& db) {
  return go_through_all(db, [](const Table&, const Page&) { return Status(); });
}

Status compare(const Inventory& source, const Inventory& target) {
  for (size_t i = 0; i < source.tables.size(); ++i) {
    if (source.tables[i] != target.tables.at(i)) return differs(source.tables[i].name);
  }
  return source.given == target.given ? Status() : differs("the last number that was given");
}

}  // namespace paddock::store::move
