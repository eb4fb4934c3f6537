// A SQLite file, opened as anybody can. What fails ends the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace paddock::bench {

class Database {
 public:
  explicit Database(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  // The rows of a query, as text.
  std::vector<std::vector<std::string>> rows(const std::string& sql);
  int64_t number(const std::string& sql);
  sqlite3_stmt* prepare(const std::string& sql);  // the caller finalizes it

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace paddock::bench
