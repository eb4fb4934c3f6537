// What a list or a watch asks for, read from the query.
#pragma once

#include <optional>

#include "controller/api/server/call.h"
#include "controller/k8s/selectors.h"
#include "controller/k8s/table.h"

namespace paddock::api {

struct ListQuery {
  k8s::Selector labels;
  k8s::Selector fields;
  store::ListOptions options;
  k8s::Form form = k8s::Form::kObject;
  k8s::IncludeObject include = k8s::IncludeObject::kMetadata;
  int64_t resource_version = 0;   // not older than this; a watch begins after it
  bool exact = false;             // resourceVersionMatch=Exact
  int64_t continued_version = 0;  // of the first page, on a later one
};

struct WatchQuery {
  ListQuery list;
  bool initial = true;    // first tell what is there
  bool end_mark = false;  // sendInitialEvents: mark where that ends
  bool bookmarks = false;
  Millis timeout{0};
};

// `supported`: the fields that selectors may name.
// PARAMETER_INVALID, SELECTOR_INVALID, FIELD_SELECTOR_UNSUPPORTED, CONTINUE_INVALID.
Result<ListQuery> parse_list_query(Call& call, const k8s::Labels& supported);
// Whether only runs that are not over can match, in the words of runs or of pods.
bool wants_active_runs(const ListQuery& query);
Result<bool> is_watch(const Request& request);
Result<WatchQuery> parse_watch_query(Call& call, const k8s::Labels& supported);

// Whether a snapshot can answer the query. Gone (RESOURCE_VERSION_TOO_OLD, _AHEAD).
Status check_versions(Call& call, const ListQuery& query, std::string_view stored_kind,
                      int64_t snapshot);

}  // namespace paddock::api
