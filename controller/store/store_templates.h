// The typed half of ReadTxn and WriteTxn: objects to rows and back. Included by transaction.h only.
#pragma once

#include <functional>
#include <utility>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/store/transaction.h"

namespace paddock::store {

namespace internal {

// Columns that the store keeps beside an object's text, to find the object without reading it.
template <class T>
bool is_active(const T&) {
  return false;
}
// An array that is being deleted is, until the last of its elements is gone.
inline bool is_active(const contracts::Run& run) {
  return !contracts::is_terminal(run.status.phase) ||
         (run.status.array && run.metadata.deletion_timestamp);
}
inline bool is_active(const contracts::Sandbox& session) {
  return session.status.phase != contracts::SandboxPhase::kEnded;
}
template <class T>
std::string node_of(const T&) {
  return {};
}
inline std::string node_of(const contracts::Run& run) { return run.status.node_name; }
inline std::string node_of(const contracts::Sandbox& session) { return session.status.node_name; }
template <class T>
std::optional<int64_t> finished_of(const T&) {
  return std::nullopt;
}
inline std::optional<int64_t> finished_of(const contracts::Run& run) {
  if (!is_active(run) && run.status.finished_at) return run.status.finished_at->value.ms;
  return std::nullopt;
}

// Limits for reading our own documents, which may be larger than what a caller may send.
inline constexpr wire::ParseLimits kStoredLimits{256 << 20, 128, 50'000'000};

// An object as text, whenever that is asked for, and how long it was.
template <class T>
struct Text {
  std::string operator()() const {
    std::string out = wire::encode_json(object);
    bytes = out.size();
    return out;
  }
  const T& object;
  mutable size_t bytes = 0;
};

// The plural of a kind, as it is in paths.
std::string plural(std::string_view kind);
Error not_found(std::string_view kind, const Key& key);
// `name`: of the object, as far as it can be read. For the log alone: the caller is told the kind.
Error undecodable(std::string_view kind, const std::string& name, const Error& cause);
// Says in the log that a list leaves an object out; of each once.
void tell_left_out(std::string_view kind, int64_t resource_version, const Error& why);

// Whether a list of these may lack one that cannot be read. One of runs always may.
template <class T>
bool may_leave_out(const ListOptions& options) {
  if constexpr (std::is_same_v<T, contracts::Node> || std::is_same_v<T, contracts::Grant>)
    return options.leave_out_any;
  return options.leave_out || std::is_same_v<T, contracts::Run>;
}

template <class T>
Result<T> decode_row(const std::string& data) {
  auto document = wire::parse_json(data, kStoredLimits);
  if (!document) return undecodable(T::kKind, "", document.error());
  auto object = wire::decode<T>(*document);
  if (!object)
    return undecodable(T::kKind,
                       document->text("metadata.namespace") + "/" + document->text("metadata.name"),
                       object.error());
  return object;
}

}  // namespace internal

template <class T>
Result<std::shared_ptr<const T>> ReadTxn::decode_once(const Row& row) {
  if (row.decoded) return std::static_pointer_cast<const T>(row.decoded);
  ASSIGN_OR_RETURN(T object, internal::decode_row<T>(row.data));
  auto kept = std::make_shared<const T>(std::move(object));
  keep_decoded(row.resource_version, kept, row.data.size());
  return kept;
}

template <class T>
Result<T> ReadTxn::decode(const Row& row) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const T> kept, decode_once<T>(row));
  return T(*kept);
}

template <class T>
Result<std::shared_ptr<const T>> ReadTxn::look_at(const Key& key) {
  ASSIGN_OR_RETURN(const std::optional<Row> row, find_row(T::kKind, key));
  if (!row) return std::shared_ptr<const T>();
  return decode_once<T>(*row);
}

template <class T>
Result<std::optional<T>> ReadTxn::find(const Key& key) {
  ASSIGN_OR_RETURN(const std::optional<Row> row, find_row(T::kKind, key));
  if (!row) return std::optional<T>();
  ASSIGN_OR_RETURN(T object, decode<T>(*row));
  return std::optional<T>(std::move(object));
}

template <class T>
Result<std::optional<T>> ReadTxn::find_readable(const Key& key) {
  ASSIGN_OR_RETURN(const std::optional<Row> row, find_row(T::kKind, key));
  if (!row) return std::optional<T>();
  auto object = decode<T>(*row);
  if (object.ok()) return std::optional<T>(std::move(*object));
  internal::tell_left_out(T::kKind, row->resource_version, object.error());
  return std::optional<T>();
}

template <class T>
Result<T> ReadTxn::get(const Key& key) {
  ASSIGN_OR_RETURN(std::optional<T> object, find<T>(key));
  if (!object) return internal::not_found(T::kKind, key);
  return std::move(*object);
}

template <class T>
Result<Page<T>> ReadTxn::list(const ListOptions& options) {
  ASSIGN_OR_RETURN(Page<Row> rows, list_rows(T::kKind, options));
  Page<T> page;
  page.resource_version = rows.resource_version;
  page.continue_after = std::move(rows.continue_after);
  page.remaining = rows.remaining;
  page.bytes = rows.bytes;
  page.items.reserve(rows.items.size());
  for (const Row& row : rows.items) {
    auto object = internal::decode_row<T>(row.data);
    if (object.ok()) {
      page.items.push_back(std::move(*object));
      continue;
    }
    if (!internal::may_leave_out<T>(options)) return object.error();
    internal::tell_left_out(T::kKind, row.resource_version, object.error());
    page.left_out.push_back(row.key);
  }
  return page;
}

// The object is kept as it was written, since it is soon read again: by the cluster cache, and by
// the next step of the same run.
template <class T>
Status WriteTxn::create(T& object) {
  const internal::Text<T> text{object};
  ASSIGN_OR_RETURN(const int64_t version,
                   insert_row(T::kKind, object.metadata, std::cref(text), columns_of(object)));
  keep_decoded(version, std::make_shared<const T>(object), text.bytes);
  return {};
}

template <class T>
Status WriteTxn::update(T& object, Write when) {
  const internal::Text<T> text{object};
  ASSIGN_OR_RETURN(const int64_t version, update_row(T::kKind, object.metadata, std::cref(text),
                                                     columns_of(object), when));
  keep_decoded(version, std::make_shared<const T>(object), text.bytes);
  return {};
}

template <class T>
WriteTxn::Columns WriteTxn::columns_of(const T& object) {
  return {internal::is_active(object), internal::node_of(object), internal::finished_of(object)};
}

template <class T>
Status WriteTxn::erase(const Key& key) {
  return delete_row(T::kKind, key);
}

}  // namespace paddock::store
