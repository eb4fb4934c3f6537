// A watch: what is there, then every change, until the client, the time or the server ends it.
// It holds no thread: what is there is told in steps, a few objects each, and then a commit that
// changes an object of its kind has it make one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/api/objects/list_query.h"
#include "controller/api/objects/told_pages.h"

namespace paddock::events {
struct ObjectChange;
}

namespace paddock::api {

// One object as a watch sees it.
struct WatchItem {
  k8s::Labels labels;
  k8s::Labels fields;
  wire::Value object;
  wire::Value cells;
};

// One page of the objects that exist when a watch begins.
struct PresentPage {
  int64_t resource_version = 0;  // of its snapshot
  std::string continue_after;    // empty: it is the last one
  ListPlace last;                // the same place; not of the last page
};

// A kind as watches see it: stored objects, shown as themselves or as another kind.
struct WatchedKind {
  std::string_view stored_kind;
  std::string_view kind;
  std::string_view api_version;
  bool shown_as_stored = true;  // the stored text is what a client gets
  wire::Value (*columns)();
  // From a stored text; `resource_version` replaces the one inside (a deletion has its own).
  Result<WatchItem> (*read)(Services& services, std::string_view text, int64_t resource_version);
  // Hands over what matches of the next page, `query.options.limit` objects behind its `after`.
  Result<PresentPage> (*list)(Services& services, const ListQuery& query,
                              const std::function<void(const WatchItem&)>& take);
  // The place of the object that changed, in the order of those pages.
  Result<ListPlace> (*place)(const events::ObjectChange& change);
};

// By namespace and name, as the store lists objects.
Result<ListPlace> place_by_key(const events::ObjectChange& change);

// Gone (RESOURCE_VERSION_TOO_OLD, _AHEAD) when the watch cannot begin where it was asked to.
Result<Response> start_watch(Call& call, const WatchedKind& kind, WatchQuery query);

}  // namespace paddock::api
