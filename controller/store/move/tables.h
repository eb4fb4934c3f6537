// The tables of a store, the same for both engines, in an order in which rows can be inserted: a
// table comes after those that it refers to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::store::move {

inline constexpr size_t kPage = 64;  // rows that are read, and put, at once

enum class ColumnType { kInteger, kText, kBytes };
struct Column {
  std::string name;
  ColumnType type;
};

struct Table {
  std::string name;
  std::vector<Column> columns;  // first those of the primary key
  size_t key = 1;               // so many
  // Its statements, in the SQL of both engines.
  std::string first_page;
  std::string next_page;  // behind a key
  std::string put_one;
  std::string put_page;
};

// Made once; the addresses of its texts stay.
const std::vector<Table>& tables();

}  // namespace paddock::store::move
