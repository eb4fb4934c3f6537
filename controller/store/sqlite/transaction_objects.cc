// Objects: rows of JSON with a resource version drawn from the history of changes.
#include <limits>
#include <set>
#include <tuple>

#include "common/base/guarded.h"
#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/store/sqlite/transaction.h"

namespace paddock::store {

namespace internal {

namespace {
std::string plural(std::string_view kind) {
  return ascii_lower(kind) + (kind.ends_with('x') ? "es" : "s");
}
}  // namespace

Error not_found(std::string_view kind, const Key& key) {
  return {Code::kNotFound, Reason::of_kind(kind, "NOT_FOUND"),
          cat(plural(kind), ".", contracts::kGroup, " \"", key.name, "\" not found")};
}

Error already_exists(std::string_view kind, const Key& key) {
  return {Code::kAlreadyExists, Reason::of_kind(kind, "ALREADY_EXISTS"),
          cat(plural(kind), ".", contracts::kGroup, " \"", key.name, "\" already exists")};
}

Error undecodable(std::string_view kind, const std::string& name, const Error& cause) {
  return Error{Code::kInternal, "STORE_DATA_INVALID",
               cat("a stored ", kind, " cannot be read by this version")}
      .within(cause.describe())
      .within(cat("reading ", kind, " ", name.empty() ? "of a damaged row" : name));
}

// The whole process tells of each once: whoever lists, lists again soon.
void tell_left_out(std::string_view kind, int64_t resource_version, const Error& why) {
  constexpr size_t kMostTold = 10'000;
  static Guarded<std::set<std::pair<std::string, int64_t>>> told;
  const bool first = told.with([&](auto& all) {
    return all.size() < kMostTold && all.emplace(kind, resource_version).second;
  });
  if (first)
    log_error("lists leave out what cannot be read: delete it, or start the version that wrote it",
              {{"kind", std::string(kind)},
               {"resource_version", std::to_string(resource_version)},
               {"error", why.describe()}});
}

}  // namespace internal

namespace sqlite {

namespace {

// How many changes a watch may lag behind before it must start over.
constexpr int64_t kChangesKept = 100'000;
constexpr int64_t kTrimEvery = 1'000;

// A page says how many objects come after it if they are no more than so many: counting costs as
// much as reading, and a history may be long.
constexpr int64_t kMostCounted = 1'000;

// Where a list of one namespace goes on: at its start if the list has not reached it yet.
std::string_view name_behind(std::string_view name_space, const Key& after) {
  return after.name_space == name_space ? std::string_view(after.name) : std::string_view();
}

std::string_view op_name(ObjectWrite::Op op) {
  switch (op) {
    case ObjectWrite::Op::kCreate:
      return "create";
    case ObjectWrite::Op::kUpdate:
      return "update";
    case ObjectWrite::Op::kDelete:
      return "delete";
  }
  return "";
}

// Of a list whose newest come first, the place is the object's number.
int64_t number_behind(const std::string& after) {
  return parse_integer<int64_t>(after).value_or(std::numeric_limits<int64_t>::max());
}

Key split_continue(const std::string& after) {
  const size_t slash = after.find('/');
  if (slash == std::string::npos) return {{}, after};
  return {after.substr(0, slash), after.substr(slash + 1)};
}

}  // namespace

// By the key's index alone.
Result<bool> Transaction::exists(std::string_view kind, const Key& key) {
  Statement row =
      db_.prepare("SELECT 1 FROM objects WHERE kind = ? AND namespace = ? AND name = ?");
  return row.bind(kind).bind(key.name_space).bind(key.name).step();
}

Result<std::optional<int64_t>> Transaction::version_of(std::string_view kind, const Key& key) {
  return db_
      .prepare("SELECT resource_version FROM objects WHERE kind = ? AND namespace = ? AND name = ?")
      .bind(kind)
      .bind(key.name_space)
      .bind(key.name)
      .single_integer();
}

Result<int64_t> Transaction::resource_version() {
  Statement newest = db_.prepare("SELECT max(resource_version) FROM changes");
  ASSIGN_OR_RETURN(const std::optional<int64_t> version, newest.single_integer());
  return version.value_or(0);
}

// A literal each, so that each has a plan of its own over the key's index. Within one namespace the
// name alone is compared and sorted by: with both, SQLite sorts all that is left of the namespace.
Statement Transaction::select_rows(std::string_view kind, const ListOptions& options,
                                   const Key& after) {
  const int64_t limit = options.limit > 0 ? options.limit : int64_t{-1};
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

// One row more than the page has says whether anything is left.
Statement Transaction::select_newest(std::string_view kind, const ListOptions& options) {
  Statement rows =
      options.active
          ? db_.prepare(
                "SELECT data, resource_version, id FROM objects INDEXED BY objects_active "
                "WHERE kind = ?1 AND active = 1 AND namespace = ?2 AND id < ?3 "
                "ORDER BY id DESC LIMIT ?4")
          : db_.prepare(
                "SELECT data, resource_version, id FROM objects INDEXED BY objects_newest "
                "WHERE kind = ?1 AND namespace = ?2 AND id < ?3 ORDER BY id DESC LIMIT ?4");
  rows.bind(kind).bind(std::string_view(*options.name_space)).bind(number_behind(options.after));
  rows.bind(options.limit > 0 ? options.limit + 1 : int64_t{-1});
  return rows;
}

Status Transaction::list_newest(std::string_view kind, const ListOptions& options,
                                Page<Row>& page) {
  Statement rows = select_newest(kind, options);
  int64_t last = 0;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) return {};
    if (options.limit > 0 && static_cast<int64_t>(page.items.size()) == options.limit) {
      page.continue_after = std::to_string(last);
      return {};
    }
    page.items.push_back({rows.text(0), rows.integer(1)});
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
  while (true) {
    ASSIGN_OR_RETURN(const bool row, rows.step());
    if (!row) break;
    page.items.push_back({rows.text(0), rows.integer(1)});
    last = {rows.text(2), rows.text(3)};
  }
  if (options.limit > 0 && static_cast<int64_t>(page.items.size()) == options.limit) {
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
  if (row) page.items.push_back(std::move(*row));
  return {};
}

// How many there are behind this key, but no more than kMostCounted + 1.
Result<int64_t> Transaction::count_rows(std::string_view kind, const ListOptions& options,
                                        const Key& after) {
  if (options.active) {
    Statement rows = db_.prepare(
        "SELECT count(*) FROM (SELECT 1 FROM objects INDEXED BY objects_active "
        "WHERE kind = ?1 AND active = 1 AND (namespace, name) > (?2, ?3) "
        "AND (?5 IS NULL OR namespace = ?5) LIMIT ?4)");
    rows.bind(kind).bind(after.name_space).bind(after.name).bind(kMostCounted + 1);
    if (options.name_space) rows.bind(std::string_view(*options.name_space));
    ASSIGN_OR_RETURN(const std::optional<int64_t> count, rows.single_integer());
    return count.value_or(0);
  }
  Statement rows =
      options.name_space ? db_.prepare(
                               "SELECT count(*) FROM (SELECT 1 FROM objects WHERE kind = ?1 "
                               "AND namespace = ?2 AND name > ?3 LIMIT ?4)")
      : options.name ? db_.prepare(
                           "SELECT count(*) FROM (SELECT 1 FROM objects WHERE kind = ?1 "
                           "AND name = ?5 AND (namespace, name) > (?2, ?3) LIMIT ?4)")
                     : db_.prepare(
                           "SELECT count(*) FROM (SELECT 1 FROM objects WHERE kind = ?1 "
                           "AND (namespace, name) > (?2, ?3) LIMIT ?4)");
  rows.bind(kind).bind(after.name_space).bind(after.name).bind(kMostCounted + 1);
  if (!options.name_space && options.name) rows.bind(std::string_view(*options.name));
  ASSIGN_OR_RETURN(const std::optional<int64_t> count, rows.single_integer());
  return count.value_or(0);
}

void Transaction::announce(ObjectWrite write) {
  touch(kind_topic(write.kind));
  object_writes_.push_back(std::move(write));
}

Result<int64_t> Transaction::record_change(std::string_view kind, const Key& key,
                                           ObjectWrite::Op op) {
  TRY(db_.prepare("INSERT INTO changes (kind, namespace, name, op) VALUES (?, ?, ?, ?)")
          .bind(kind)
          .bind(key.name_space)
          .bind(key.name)
          .bind(op_name(op))
          .run());
  const int64_t version = db_.last_insert_rowid();
  if (!first_drawn_) first_drawn_ = version;
  if (version % kTrimEvery == 0) {
    TRY(db_.prepare("DELETE FROM changes WHERE resource_version <= ?")
            .bind(version - kChangesKept)
            .run());
  }
  return version;
}

Result<int64_t> Transaction::insert_row(std::string_view kind, contracts::ObjectMeta& meta,
                                        const std::function<std::string()>& encode,
                                        const Columns& columns) {
  const Key key{meta.name_space, meta.name};
  ASSIGN_OR_RETURN(const bool taken, exists(kind, key));
  if (taken) return internal::already_exists(kind, key);
  ASSIGN_OR_RETURN(const int64_t version, record_change(kind, key, ObjectWrite::Op::kCreate));
  meta.resource_version = std::to_string(version);
  std::string data = encode();
  TRY(db_.prepare(
             "INSERT INTO objects (kind, namespace, name, uid, resource_version, active, node, "
             "finished_ms, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
          .bind(kind)
          .bind(key.name_space)
          .bind(key.name)
          .bind(meta.uid)
          .bind(version)
          .bind(int64_t{columns.active})
          .bind(columns.node)
          .bind(columns.finished_ms)
          .bind(data)
          .run());
  announce({version, std::string(kind), key, ObjectWrite::Op::kCreate, {}, std::move(data)});
  return version;
}

Result<int64_t> Transaction::update_row(std::string_view kind, contracts::ObjectMeta& meta,
                                        const std::function<std::string()>& encode,
                                        const Columns& columns, Write when) {
  const Key key{meta.name_space, meta.name};
  ASSIGN_OR_RETURN(std::optional<Row> stored, find_text(kind, key));
  if (!stored) return internal::not_found(kind, key);
  if (meta.resource_version != std::to_string(stored->resource_version)) {
    return Error{Code::kConflict, "STALE_RESOURCE_VERSION",
                 "the object was changed by somebody else; read it again and repeat the change"};
  }
  if (when == Write::kIfChanged && encode() == stored->data) return stored->resource_version;
  ASSIGN_OR_RETURN(const int64_t version, record_change(kind, key, ObjectWrite::Op::kUpdate));
  meta.resource_version = std::to_string(version);
  std::string data = encode();
  TRY(db_.prepare("UPDATE objects SET resource_version = ?, active = ?, node = ?, "
                  "finished_ms = ?, data = ? WHERE kind = ? AND namespace = ? AND name = ?")
          .bind(version)
          .bind(int64_t{columns.active})
          .bind(columns.node)
          .bind(columns.finished_ms)
          .bind(data)
          .bind(kind)
          .bind(key.name_space)
          .bind(key.name)
          .run());
  announce({version, std::string(kind), key, ObjectWrite::Op::kUpdate, std::move(stored->data),
            std::move(data)});
  return version;
}

Status Transaction::delete_row(std::string_view kind, const Key& key) {
  ASSIGN_OR_RETURN(std::optional<Row> stored, find_text(kind, key));
  if (!stored) return internal::not_found(kind, key);
  if (kind == "Run") {
    TRY(announce_lost_phases(key));
    TRY(forget_creates(key));
  }
  ASSIGN_OR_RETURN(const int64_t version, record_change(kind, key, ObjectWrite::Op::kDelete));
  TRY(db_.prepare("DELETE FROM objects WHERE kind = ? AND namespace = ? AND name = ?")
          .bind(kind)
          .bind(key.name_space)
          .bind(key.name)
          .run());
  announce(
      {version, std::string(kind), key, ObjectWrite::Op::kDelete, std::move(stored->data), {}});
  return {};
}

}  // namespace sqlite
}  // namespace paddock::store
