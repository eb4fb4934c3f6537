// Objects: rows of JSON with a resource version drawn from the history of changes.
#include <set>

#include "common/base/guarded.h"
#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/agent_sandbox.h"
#include "controller/store/sql/transaction.h"

namespace paddock::store {

namespace internal {

std::string plural(std::string_view kind) {
  return ascii_lower(kind) + (kind.ends_with('x') ? "es" : "s");
}

namespace {
// SandboxTemplate, SandboxWarmPool and SandboxClaim.
bool is_of_agents(std::string_view kind) {
  return kind.starts_with(contracts::Sandbox::kKind) && kind != contracts::Sandbox::kKind;
}

// The word before NOT_FOUND: those share one.
std::string_view family(std::string_view kind) {
  return is_of_agents(kind) ? contracts::Sandbox::kKind : kind;
}

std::string named(std::string_view kind, const Key& key) {
  const char* group = is_of_agents(kind) ? contracts::kAgentExtensionsGroup : contracts::kGroup;
  return cat(plural(kind), ".", group, " \"", key.name, "\"");
}
}  // namespace

Error not_found(std::string_view kind, const Key& key) {
  return {Code::kNotFound, Reason::of_kind(family(kind), "NOT_FOUND"),
          cat(named(kind, key), " not found")};
}

Error already_exists(std::string_view kind, const Key& key) {
  return {Code::kAlreadyExists, Reason::of_kind(family(kind), "ALREADY_EXISTS"),
          cat(named(kind, key), " already exists")};
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
    log_error(
        "what cannot be read is left out of lists and of all work: delete it, or start the version "
        "that wrote it",
        {{"kind", std::string(kind)},
         {"resource_version", std::to_string(resource_version)},
         {"error", why.describe()}});
}

}  // namespace internal

namespace {
constexpr Reason kDataInvalid = "STORE_DATA_INVALID";
}

Error cannot_be_read(std::string_view kind, const Key& key) {
  return Error{Code::kInternal, kDataInvalid,
               cat("a stored ", kind, " cannot be read by this version")}
      .within(cat("reading ", kind, " ", key.name_space, "/", key.name));
}

bool is_unreadable(const Error& error) { return error.reason == kDataInvalid; }

namespace sql {

namespace {

// How many changes a watch may lag behind before it must start over.
constexpr int64_t kChangesKept = 100'000;
constexpr int64_t kTrimEvery = 1'000;
// How many a controller that follows may lag behind, and how many bytes: no quota counts them.
constexpr int64_t kTextsKept = 20'000;
constexpr int64_t kTextBytesKept = int64_t{256} << 20;

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

Result<std::optional<ObjectHead>> Transaction::head(std::string_view kind, const Key& key) {
  Statement row = db_.prepare(
      "SELECT uid, resource_version, node, active FROM objects "
      "WHERE kind = ? AND namespace = ? AND name = ?");
  ASSIGN_OR_RETURN(const bool found, row.bind(kind).bind(key.name_space).bind(key.name).step());
  if (!found) return std::optional<ObjectHead>();
  return std::optional(ObjectHead{row.text(0), row.integer(1), row.text(2), row.integer(3) != 0});
}

Result<int64_t> Transaction::resource_version() {
  if (newest_) return *newest_;
  Statement newest = db_.prepare("SELECT max(resource_version) FROM changes");
  ASSIGN_OR_RETURN(const std::optional<int64_t> version, newest.single_integer());
  newest_ = version.value_or(0);
  return *newest_;
}

Status Transaction::announce(ObjectWrite write) {
  touch(kind_topic(write.kind));
  if (db_.is_followed()) TRY(keep_texts(write));
  object_writes_.push_back(std::move(write));
  return {};
}

Status Transaction::keep_texts(const ObjectWrite& write) {
  if (write.resource_version % kTrimEvery == 0) {
    TRY(db_.prepare("DELETE FROM paddock_change_texts WHERE resource_version <= ?")
            .bind(write.resource_version - kTextsKept)
            .run());
  }
  if (db_.is_much_text(write.before.size() + write.after.size())) {
    TRY(db_.prepare("DELETE FROM paddock_change_texts WHERE resource_version <= ("
                    "SELECT max(resource_version) FROM (SELECT resource_version, "
                    "sum(octet_length(before) + octet_length(after)) OVER "
                    "(ORDER BY resource_version DESC) AS bytes FROM paddock_change_texts) t "
                    "WHERE bytes > ?)")
            .bind(kTextBytesKept)
            .run());
  }
  return db_
      .prepare(
          "INSERT INTO paddock_change_texts (resource_version, before, after) VALUES (?, ?, ?) "
          "ON CONFLICT (resource_version) DO UPDATE SET before = excluded.before, after = "
          "excluded.after")
      .bind(write.resource_version)
      .bind(write.before)
      .bind(write.after)
      .run_soon();
}

Result<int64_t> Transaction::record_change(std::string_view kind, const Key& key,
                                           ObjectWrite::Op op) {
  TRY(db_.prepare("INSERT INTO changes (resource_version, kind, namespace, name, op) "
                  "VALUES (?, ?, ?, ?, ?)")
          .bind(db_.draw(Series::kChanges))
          .bind(kind)
          .bind(key.name_space)
          .bind(key.name)
          .bind(op_name(op))
          .run_soon());
  const int64_t version = db_.drawn(Series::kChanges);
  if (!first_drawn_) first_drawn_ = version;
  newest_ = version;
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
  if (!db_.was_absent(kind, key.name_space, key.name)) {
    ASSIGN_OR_RETURN(const bool taken, exists(kind, key));
    if (taken) return internal::already_exists(kind, key);
  }
  ASSIGN_OR_RETURN(const int64_t version, record_change(kind, key, ObjectWrite::Op::kCreate));
  meta.resource_version = std::to_string(version);
  std::string data = encode();
  TRY(db_.prepare(
             "INSERT INTO objects (id, kind, namespace, name, uid, resource_version, active, node, "
             "finished_ms, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
          .bind(db_.draw(Series::kObjects))
          .bind(kind)
          .bind(key.name_space)
          .bind(key.name)
          .bind(meta.uid)
          .bind(version)
          .bind(int64_t{columns.active})
          .bind(columns.node)
          .bind(columns.finished_ms)
          .bind(data)
          .run_soon());
  if (kind == contracts::Run::kKind) heads_[meta.uid] = {db_.drawn(Series::kObjects), key, 0};
  TRY(announce({version, std::string(kind), key, ObjectWrite::Op::kCreate, {}, std::move(data)}));
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
          .run_soon());
  ahead_.changed(kind, key);
  TRY(announce({version, std::string(kind), key, ObjectWrite::Op::kUpdate, std::move(stored->data),
                std::move(data)}));
  return version;
}

Status Transaction::delete_row(std::string_view kind, const Key& key) {
  ASSIGN_OR_RETURN(std::optional<Row> stored, find_text(kind, key));
  if (!stored) return internal::not_found(kind, key);
  heads_.clear();
  if (kind == contracts::Run::kKind) TRY(announce_lost_phases(key));
  TRY(forget_creates(kind, key));
  ASSIGN_OR_RETURN(const int64_t version, record_change(kind, key, ObjectWrite::Op::kDelete));
  TRY(db_.prepare("DELETE FROM objects WHERE kind = ? AND namespace = ? AND name = ?")
          .bind(kind)
          .bind(key.name_space)
          .bind(key.name)
          .run_soon());
  ahead_.erased(kind, key);
  return announce(
      {version, std::string(kind), key, ObjectWrite::Op::kDelete, std::move(stored->data), {}});
}

}  // namespace sql
}  // namespace paddock::store
