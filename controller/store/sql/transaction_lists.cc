// Lists of objects, page by page: each a statement with a plan over an index.
#include <limits>
#include <tuple>

#include "common/base/text.h"
#include "controller/store/sql/transaction.h"

namespace paddock::store::sql {
namespace {

// A page says how many objects come after it if they are no more than so many: counting costs as
// much as reading, and a history may be long.
constexpr int64_t kMostCounted = 1'000;

// Where a list of one namespace goes on: at its start if the list has not reached it yet.
std::string_view name_behind(std::string_view name_space, const Key& after) {
  return after.name_space == name_space ? std::string_view(after.name) : std::string_view();
}

// In a list that begins with the newest, the place is the object's number.
int64_t number_behind(const std::string& after) {
  return parse_integer<int64_t>(after).value_or(std::numeric_limits<int64_t>::max());
}

Key split_continue(const std::string& after) {
  const size_t slash = after.find('/');
  if (slash == std::string::npos) return {{}, after};
  return {after.substr(0, slash), after.substr(slash + 1)};
}

// Whether a page takes no more.
template <class Row>
bool is_full(const ListOptions& options, const Page<Row>& page) {
  const bool rows = options.limit > 0 && static_cast<int64_t>(page.items.size()) >= options.limit;
  return rows || (options.bytes > 0 && page.bytes >= options.bytes);
}

template <class Row>
void take(Row row, Page<Row>& page) {
  page.bytes += row.data.size();
  page.items.push_back(std::move(row));
}

}  // namespace

// A literal each, so that each has a plan of its own over the key's index. Within one namespace the
// name alone is compared and sorted by: with both, SQLite sorts all that is left of the namespace.
Statement Transaction::select_rows(std::string_view kind, const ListOptions& options,
                                   const Key& after) {
  const int64_t limit = options.limit > 0 ? options.limit : kNoLimit;
  if (options.active) {
    Statement rows = db_.prepare(
        "SELECT data, resource_version, namespace, name FROM objects INDEXED BY objects_active "
        "WHERE kind = ?1 AND active = 1 AND (namespace, name) > (?2, ?3) "
        "AND (?5 IS NULL OR namespace = ?5) ORDER BY namespace, name LIMIT ?4");
    rows.bind(kind).bind(after.name_space).bind(after.name).bind(limit);
    if (options.name_space) rows.bind(std::string_view(*options.name_space));
    return rows;
  }
  if (options.name_space) {
    Statement rows = db_.prepare(
        "SELECT data, resource_version, namespace, name FROM objects "
        "WHERE kind = ?1 AND namespace = ?2 AND name > ?3 ORDER BY name LIMIT ?4");
    const std::string_view name_space(*options.name_space);
    const bool passed = after.name_space > name_space;
    rows.bind(kind).bind(name_space).bind(name_behind(name_space, after));
    rows.bind(passed ? int64_t{0} : limit);
    return rows;
  }
  Statement rows = options.name
                       ? db_.prepare(
                             "SELECT data, resource_version, namespace, name FROM objects "
                             "WHERE kind = ?1 AND name = ?5 AND (namespace, name) > (?2, ?3) "
                             "ORDER BY namespace, name LIMIT ?4")
                       : db_.prepare(
                             "SELECT data, resource_version, namespace, name FROM objects "
                             "WHERE kind = ?1 AND (namespace, name) > (?2, ?3) "
                             "ORDER BY namespace, name LIMIT ?4");
  rows.bind(kind).bind(after.name_space).bind(after.name).bind(limit);
  if (options.name) rows.bind(std::string_view(*options.name));
  return rows;
}

// One row more than the page has says whether anything is left. `id >= 0` lets PostgreSQL use the
// index.
Statement Transaction::select_newest(std::string_view kind, const ListOptions& options) {
  Statement rows =
      options.active
          ? db_.prepare(
                "SELECT data, resource_version, id, name FROM objects INDEXED BY objects_active "
                "WHERE kind = ?1 AND active = 1 AND namespace = ?2 AND id < ?3 "
                "ORDER BY id DESC LIMIT ?4")
          : db_.prepare(
                "SELECT data, resource_version, id, name FROM objects INDEXED BY objects_newest "
                "WHERE kind = ?1 AND namespace = ?2 AND id < ?3 AND id >= 0 "
                "ORDER BY id DESC LIMIT ?4");
  rows.bind(kind).bind(std::string_view(*options.name_space)).bind(number_behind(options.after));
  rows.bind(options.limit > 0 ? options.limit + 1 : kNoLimit);
  return rows;
}

Status Transaction::list_newest(std::string_view kind, const ListOptions& options,
                                Page<Row>& page) {
  Statement rows = select_newest(kind, options);
  int64_t last = 0;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) return {};
    if (is_full(options, page)) {
      page.continue_after = std::to_string(last);
      return {};
    }
    take(Row{rows.text(0), rows.integer(1), {}, {*options.name_space, rows.text(3)}}, page);
    last = rows.integer(2);
  }
}

Result<Page<ReadTxn::Row>> Transaction::list_rows(std::string_view kind,
                                                  const ListOptions& options) {
  Page<Row> page;
  ASSIGN_OR_RETURN(page.resource_version, resource_version());
  if (options.newest_first && !options.name) {
    TRY(list_newest(kind, options, page));
    return page;
  }
  const Key after = split_continue(options.after);
  if (options.name_space && options.name) {
    TRY(add_row(kind, {*options.name_space, *options.name}, after, page));
    return page;
  }
  Statement rows = select_rows(kind, options, after);
  Key last;
  while (!is_full(options, page)) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) break;
    last = {rows.text(2), rows.text(3)};
    take(Row{rows.text(0), rows.integer(1), {}, last}, page);
  }
  if (is_full(options, page)) {
    ASSIGN_OR_RETURN(const int64_t more, count_rows(kind, options, last));
    if (more > 0) page.continue_after = cat(last.name_space, "/", last.name);
    page.remaining = more > kMostCounted ? 0 : more;
  }
  return page;
}

// The object with this key, if there is one and the list has not passed it already.
Status Transaction::add_row(std::string_view kind, const Key& key, const Key& after,
                            Page<Row>& page) {
  if (std::tie(key.name_space, key.name) <= std::tie(after.name_space, after.name)) return {};
  ASSIGN_OR_RETURN(std::optional<Row> row, find_text(kind, key));
  if (!row) return {};
  row->key = key;
  take(std::move(*row), page);
  return {};
}

Result<std::vector<std::string>> Transaction::names(std::string_view kind, const Key& from,
                                                    const std::string& end) {
  Statement rows = db_.prepare(
      "SELECT name FROM objects WHERE kind = ? AND namespace = ? AND name >= ? AND name < ? "
      "ORDER BY name");
  rows.bind(kind).bind(from.name_space).bind(from.name).bind(end);
  return rows.all([](const Statement& row) { return row.text(0); });
}

// How many there are behind this key, but no more than kMostCounted + 1.
Result<int64_t> Transaction::count_rows(std::string_view kind, const ListOptions& options,
                                        const Key& after) {
  if (options.active) {
    Statement rows = db_.prepare(
        "SELECT count(*) FROM (SELECT 1 FROM objects INDEXED BY objects_active "
        "WHERE kind = ?1 AND active = 1 AND (namespace, name) > (?2, ?3) "
        "AND (?5 IS NULL OR namespace = ?5) LIMIT ?4) AS found");
    rows.bind(kind).bind(after.name_space).bind(after.name).bind(kMostCounted + 1);
    if (options.name_space) rows.bind(std::string_view(*options.name_space));
    ASSIGN_OR_RETURN(const std::optional<int64_t> count, rows.single_integer());
    return count.value_or(0);
  }
  Statement rows =
      options.name_space ? db_.prepare(
                               "SELECT count(*) FROM (SELECT 1 FROM objects WHERE kind = ?1 "
                               "AND namespace = ?2 AND name > ?3 LIMIT ?4) AS found")
      : options.name ? db_.prepare(
                           "SELECT count(*) FROM (SELECT 1 FROM objects WHERE kind = ?1 "
                           "AND name = ?5 AND (namespace, name) > (?2, ?3) LIMIT ?4) AS found")
                     : db_.prepare(
                           "SELECT count(*) FROM (SELECT 1 FROM objects WHERE kind = ?1 "
                           "AND (namespace, name) > (?2, ?3) LIMIT ?4) AS found");
  rows.bind(kind).bind(after.name_space).bind(after.name).bind(kMostCounted + 1);
  if (!options.name_space && options.name) rows.bind(std::string_view(*options.name));
  ASSIGN_OR_RETURN(const std::optional<int64_t> count, rows.single_integer());
  return count.value_or(0);
}

}  // namespace paddock::store::sql
