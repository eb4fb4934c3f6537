// Aligned columns, as kubectl prints them: three spaces between, no trailing space.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::cli {

struct Table {
  std::vector<std::string> header;  // empty: none
  std::vector<std::vector<std::string>> rows;
};

// The title of a column: its name in capitals.
std::string column_title(std::string_view name);

// Cells are made printable; an empty one is shown as `-`. `indent` goes before every line.
std::string render(const Table& table, const std::string& indent = "");
// The same for rows that go on below others: no column is narrower than it was.
std::string render_below(const Table& table, std::vector<size_t>& widths);

}  // namespace paddock::cli
