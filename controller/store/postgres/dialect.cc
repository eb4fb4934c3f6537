#include "controller/store/postgres/dialect.h"

#include <algorithm>

namespace paddock::store::postgres {

namespace {

// Hints for SQLite's planner; the first one names an index.
constexpr std::string_view kHint = "INDEXED BY ";
constexpr std::string_view kNoIndex = "NOT INDEXED ";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Translated translate(std::string_view sql) {
  Translated out;
  size_t last = 0;
  bool quoted = false;
  for (size_t at = 0; at < sql.size();) {
    if (sql[at] == '\'') quoted = !quoted;
    if (!quoted && sql.substr(at).starts_with(kHint)) {
      at = std::min(sql.find(' ', at + kHint.size()), sql.size());
      continue;
    }
    if (!quoted && sql.substr(at).starts_with(kNoIndex)) {
      at += kNoIndex.size();
      continue;
    }
    if (quoted || sql[at] != '?') {
      out.sql += sql[at++];
      continue;
    }
    size_t number = 0;
    for (++at; at < sql.size() && is_digit(sql[at]); ++at)
      number = number * 10 + static_cast<size_t>(sql[at] - '0');
    last = number > 0 ? number : last + 1;
    out.parameters = std::max(out.parameters, last);
    out.sql += '$';
    out.sql += std::to_string(last);
  }
  return out;
}

}  // namespace paddock::store::postgres
