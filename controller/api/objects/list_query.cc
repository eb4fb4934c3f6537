#include "controller/api/objects/list_query.h"

#include <algorithm>
#include <limits>

#include "controller/api/server/documents.h"
#include "controller/events/watch_history.h"

namespace paddock::api {
namespace {

constexpr int64_t kLongestPage = 100'000;
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
// Where the client names no end, a watch ends after 30 to 60 minutes, not all at once.
constexpr int64_t kShortestWatchMs = int64_t{30} * 60'000;
constexpr int64_t kLongestWatchS = 86'400;

Error ahead(int64_t asked, int64_t newest) {
  return {Code::kGone, "RESOURCE_VERSION_AHEAD",
          cat("resource version ", asked, " is ahead of this server's ", newest, "; list again")};
}

Status read_versions(const Request& request, ListQuery& query) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> version,
                   integer_parameter(request, "resourceVersion", 0, kLargest));
  query.resource_version = version.value_or(0);
  const std::string match = request.parameter("resourceVersionMatch").value_or("");
  query.exact = match == "Exact";
  if (match.empty() || query.exact || match == "NotOlderThan") return {};
  return invalid_argument("PARAMETER_INVALID", "resourceVersionMatch must be Exact or NotOlderThan",
                          "resourceVersionMatch");
}

// Our own, beside what Kubernetes has: a page is then the latest that was made.
Status read_order(const Request& request, ListQuery& query) {
  const std::optional<std::string> order = request.parameter("order");
  if (!order || order == "name") return {};
  if (order != "newest")
    return invalid_argument("PARAMETER_INVALID", "order must be name or newest", "order");
  if (!query.options.name_space)
    return invalid_argument("PARAMETER_INVALID", "order=newest is for the list of one namespace",
                            "order");
  query.options.newest_first = true;
  return {};
}

// Takes name and namespace out of a field selector, so that the store reads only these objects.
void narrow(const k8s::Selector& fields, store::ListOptions& options) {
  options.name = k8s::demanded(fields, "metadata.name");
  if (!options.name_space) options.name_space = k8s::demanded(fields, "metadata.namespace");
}

}  // namespace

Result<ListQuery> parse_list_query(Call& call, const k8s::Labels& supported) {
  const Request& request = call.request;
  ListQuery query;
  std::vector<std::string> names;
  for (const auto& [name, value] : supported) names.push_back(name);
  ASSIGN_OR_RETURN(query.labels,
                   k8s::parse_label_selector(request.parameter("labelSelector").value_or("")));
  ASSIGN_OR_RETURN(query.fields, k8s::parse_field_selector(
                                     request.parameter("fieldSelector").value_or(""), names));
  ASSIGN_OR_RETURN(const std::optional<int64_t> limit,
                   integer_parameter(request, "limit", 0, kLongestPage));
  query.options.limit = limit.value_or(0);
  if (!call.param("ns").empty()) query.options.name_space = call.param("ns");
  narrow(query.fields, query.options);
  TRY(read_versions(request, query));
  TRY(read_order(request, query));
  if (const std::string token = request.parameter("continue").value_or(""); !token.empty()) {
    ASSIGN_OR_RETURN(const k8s::Continuation place, k8s::parse_continue_token(token));
    if (query.options.newest_first && !parse_integer<int64_t>(place.after))
      return invalid_argument("CONTINUE_INVALID", "the list that this continues had another order",
                              "continue");
    query.options.after = place.after;
    query.continued_version = place.resource_version;
  }
  query.form = k8s::requested_form(request.header("accept"));
  query.include = k8s::parse_include_object(request.parameter("includeObject").value_or(""));
  return query;
}

bool wants_active_runs(const ListQuery& query) {
  if (query.options.name) return false;
  const auto phase = k8s::demanded(query.fields, "status.phase");
  return phase &&
         std::ranges::any_of(wire::EnumNames<contracts::RunPhase>::values, [&](const auto& each) {
           return each.second == *phase && !contracts::is_terminal(each.first);
         });
}

Result<bool> is_watch(const Request& request) { return flag_parameter(request, "watch"); }

Result<WatchQuery> parse_watch_query(Call& call, const k8s::Labels& supported) {
  const Request& request = call.request;
  WatchQuery watch;
  ASSIGN_OR_RETURN(watch.list, parse_list_query(call, supported));
  ASSIGN_OR_RETURN(watch.bookmarks, flag_parameter(request, "allowWatchBookmarks"));
  watch.initial = watch.list.resource_version == 0;
  const std::optional<std::string> send = request.parameter("sendInitialEvents");
  if (send) {
    if (request.parameter("resourceVersionMatch") != "NotOlderThan") {
      return Error{Code::kFailedPrecondition, "PARAMETER_INVALID",
                   "sendInitialEvents needs resourceVersionMatch=NotOlderThan"};
    }
    ASSIGN_OR_RETURN(watch.initial, flag_parameter(request, "sendInitialEvents"));
    watch.end_mark = watch.initial && watch.bookmarks;
  }
  ASSIGN_OR_RETURN(const std::optional<int64_t> seconds,
                   integer_parameter(request, "timeoutSeconds", 0, kLongestWatchS));
  const auto spread = static_cast<int64_t>(call.services.random.below(kShortestWatchMs));
  watch.timeout =
      seconds.value_or(0) > 0 ? Millis(*seconds * 1000) : Millis(kShortestWatchMs + spread);
  return watch;
}

Status check_versions(Call& call, const ListQuery& query, std::string_view stored_kind,
                      int64_t snapshot) {
  if (query.resource_version > snapshot) return ahead(query.resource_version, snapshot);
  if (query.continued_version > snapshot) return ahead(query.continued_version, snapshot);
  const bool old = query.exact && query.resource_version < snapshot && query.resource_version > 0;
  if (old) {
    return Error{Code::kGone, "RESOURCE_VERSION_TOO_OLD",
                 "the server keeps no older states; list again without resourceVersionMatch"};
  }
  if (query.continued_version == 0) return {};
  const auto kept = call.services.history.after(stored_kind, query.continued_version, 1,
                                                query.options.name_space);
  return kept.ok() ? Status() : Status(kept.error());
}

}  // namespace paddock::api
