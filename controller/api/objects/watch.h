// A watch: what is there, then every change, until the client, the time or the server ends it.
// It tells what is there on its connection's thread, and then holds none: a commit that changes an
// object of its kind has it make a step.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/api/objects/list_query.h"

namespace paddock::api {

// One object as a watch sees it.
struct WatchItem {
  k8s::Labels labels;
  k8s::Labels fields;
  wire::Value object;
  wire::Value cells;
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
  // Hands over everything that matches now; answers with the version of that snapshot.
  Status (*list)(Services& services, const ListQuery& query,
                 const std::function<void(const WatchItem&)>& take, int64_t& resource_version);
};

// Gone (RESOURCE_VERSION_TOO_OLD, _AHEAD) when the watch cannot begin where it was asked to.
Result<Response> start_watch(Call& call, const WatchedKind& kind, WatchQuery query);

}  // namespace paddock::api
