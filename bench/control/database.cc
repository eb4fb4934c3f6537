#include "bench/control/database.h"

#include <sqlite3.h>

#include "bench/control/give_up.h"
#include "common/base/text.h"

namespace paddock::bench {

Database::Database(const std::string& path) {
  require(sqlite3_open(path.c_str(), &db_) == SQLITE_OK, "a database cannot be opened");
}

Database::~Database() { sqlite3_close(db_); }

void Database::execute(const std::string& sql) {
  require(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK,
          sqlite3_errmsg(db_));
}

sqlite3_stmt* Database::prepare(const std::string& sql) {
  sqlite3_stmt* out = nullptr;
  require(sqlite3_prepare_v2(db_, sql.c_str(), -1, &out, nullptr) == SQLITE_OK,
          sqlite3_errmsg(db_));
  return out;
}

std::vector<std::vector<std::string>> Database::rows(const std::string& sql) {
  std::vector<std::vector<std::string>> out;
  sqlite3_stmt* query = prepare(sql);
  while (sqlite3_step(query) == SQLITE_ROW) {
    std::vector<std::string>& row = out.emplace_back();
    for (int column = 0; column < sqlite3_column_count(query); ++column) {
      const auto* text = sqlite3_column_text(query, column);
      row.emplace_back(text != nullptr ? reinterpret_cast<const char*>(text) : "");
    }
  }
  sqlite3_finalize(query);
  return out;
}

int64_t Database::number(const std::string& sql) {
  const auto found = rows(sql);
  require(found.size() == 1, "a query has no answer");
  return parse_integer<int64_t>(found[0].at(0)).value_or(0);
}

}  // namespace paddock::bench
