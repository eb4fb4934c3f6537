// How objects look as lists and tables, and which of both a client asked for. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::k8s {

// How a client wants objects: whole, as rows of a table, or their metadata only.
enum class Form { kObject, kTable, kMetadata };
// The first form in an Accept header that we can serve.
Form requested_form(std::string_view accept);

// What `row.object` holds.
enum class IncludeObject { kMetadata, kObject, kNone };
IncludeObject parse_include_object(std::string_view text);

wire::Value table_row(wire::Value cells, const wire::Value& object, IncludeObject include);
// Columns may be left out (an empty array) where a client has them already.
wire::Value table(wire::Value columns, wire::Value list_meta, wire::Value rows);
wire::Value list(std::string_view api_version, std::string_view kind, wire::Value list_meta,
                 wire::Value items);
// An object reduced to its metadata, and a list of such.
wire::Value partial_object(const wire::Value& object);
wire::Value partial_list(wire::Value list_meta, wire::Value items);

struct ListMeta {
  int64_t resource_version = 0;
  std::string continue_token;
  int64_t remaining = 0;  // 0: not told
};
wire::Value list_meta(const ListMeta& meta);
// A list in the form that was asked for; its items have that form, and stand last. Only a table is
// asked for its columns.
wire::Value list_in(Form form, wire::Value (*columns)(), std::string_view api_version,
                    std::string_view kind, const ListMeta& meta, wire::Value items);

// Where a list goes on, and the version of its first page: opaque to clients. CONTINUE_INVALID.
struct Continuation {
  int64_t resource_version = 0;
  std::string after;  // <namespace>/<name>
};
std::string continue_token(const Continuation& place);
Result<Continuation> parse_continue_token(std::string_view token);

}  // namespace paddock::k8s
