#include "cli/terminal/table.h"

#include <algorithm>

#include "cli/terminal/terminal.h"

namespace paddock::cli {
namespace {

constexpr const char* kGap = "   ";
// No column gets wider; a longer cell shifts the rest of its own line only.
constexpr size_t kWidestColumn = 64;

std::string cell_text(const std::string& cell) { return cell.empty() ? "-" : printable(cell); }

void append_line(std::string& out, const std::vector<std::string>& cells,
                 const std::vector<size_t>& widths, const std::string& indent) {
  std::string line = indent;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += kGap;
    line += pad_right(cell_text(cells[i]), widths[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

std::string render_with(const Table& table, std::vector<size_t>& widths,
                        const std::string& indent) {
  const auto widen = [&](const std::vector<std::string>& cells) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i) {
      const size_t width = display_width(cell_text(cells[i]));
      if (width <= kWidestColumn) widths[i] = std::max(widths[i], width);
    }
  };
  widen(table.header);
  for (const auto& row : table.rows) widen(row);
  std::string out;
  if (!table.header.empty()) append_line(out, table.header, widths, indent);
  for (const auto& row : table.rows) append_line(out, row, widths, indent);
  return out;
}

}  // namespace

std::string column_title(std::string_view name) {
  std::string title(name);
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return title;
}

std::string render(const Table& table, const std::string& indent) {
  std::vector<size_t> widths;
  return render_with(table, widths, indent);
}

std::string render_below(const Table& table, std::vector<size_t>& widths) {
  return render_with(table, widths, "");
}

}  // namespace paddock::cli
