// Reading objects of any kind: one, a list with selectors, pages and tables, or a watch.
#pragma once

#include <algorithm>

#include "controller/api/objects/list_query.h"
#include "controller/api/objects/views.h"
#include "controller/api/objects/watch.h"
#include "controller/api/server/call.h"
#include "controller/api/server/documents.h"

namespace paddock::api {

template <ReadableKind T>
Result<T> read_object(Call& call) {
  T object;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(object, txn.get<T>(call.key()));
    return {};
  }));
  KindTraits<T>::complete(call.services, object);
  return object;
}

template <class View>
struct ObjectPage {
  std::vector<typename View::Stored> items;
  k8s::ListMeta meta;
};

template <class View>
bool matches(const ListQuery& query, const typename View::Stored& item) {
  return query.labels.matches(View::labels(item)) && query.fields.matches(View::fields(item));
}

template <class View>
store::ListOptions options_of(const ListQuery& query) {
  store::ListOptions options = query.options;
  KindTraits<typename View::Stored>::narrow(query, options);
  return options;
}

// One page of matching objects. With selectors it reads on until the page is full.
template <class View>
Status read_page(Services& services, const ListQuery& query, ObjectPage<View>& out) {
  using T = typename View::Stored;
  return services.store.read([&](store::ReadTxn& txn) -> Status {
    store::ListOptions options = options_of<View>(query);
    const auto wanted = static_cast<size_t>(query.options.limit);
    while (true) {
      ASSIGN_OR_RETURN(store::Page<T> page, txn.list<T>(options));
      out.meta.resource_version = page.resource_version;
      for (T& item : page.items) {
        KindTraits<T>::complete(services, item);
        if (matches<View>(query, item)) out.items.push_back(std::move(item));
      }
      options.after = page.continue_after;
      if (page.continue_after.empty()) return {};
      if (wanted > 0 && out.items.size() >= wanted) {
        // Later pages carry the first one's version: a watch from there misses nothing.
        const int64_t first =
            query.continued_version > 0 ? query.continued_version : page.resource_version;
        out.meta.continue_token = k8s::continue_token({first, page.continue_after});
        if (query.labels.empty() && query.fields.empty()) out.meta.remaining = page.remaining;
        return {};
      }
      if (wanted > 0) options.limit = static_cast<int64_t>(wanted - out.items.size());
    }
  });
}

template <class View>
Response list_response(Call& call, const ObjectPage<View>& page, const ListQuery& query) {
  wire::Value::Array out;
  out.reserve(page.items.size());
  for (const auto& item : page.items) {
    wire::Value object = View::object(item);
    if (query.form == k8s::Form::kTable) {
      out.push_back(k8s::table_row(View::cells(item, call.now()), object, query.include));
    } else {
      out.push_back(query.form == k8s::Form::kMetadata ? k8s::partial_object(object)
                                                       : std::move(object));
    }
  }
  wire::Value meta = k8s::list_meta(page.meta);
  if (query.form == k8s::Form::kTable)
    return json_response(k8s::table(View::columns(), std::move(meta), std::move(out)));
  if (query.form == k8s::Form::kMetadata)
    return json_response(k8s::partial_list(std::move(meta), std::move(out)));
  return json_response(k8s::list(View::kApiVersion, View::kKind, std::move(meta), std::move(out)));
}

template <class View>
WatchItem watch_item(const typename View::Stored& stored, WallTime now) {
  return {View::labels(stored), View::fields(stored), View::object(stored),
          View::cells(stored, now)};
}

template <class View>
Result<WatchItem> read_watch_item(Services& services, std::string_view text,
                                  int64_t resource_version) {
  using T = typename View::Stored;
  ASSIGN_OR_RETURN(T stored, store::internal::decode_row<T>(std::string(text)));
  KindTraits<T>::complete(services, stored);
  stored.metadata.resource_version = std::to_string(resource_version);
  return watch_item<View>(stored, services.clock.wall());
}

template <class View>
Result<PresentPage> list_watch_items(Services& services, const ListQuery& query,
                                     const std::function<void(const WatchItem&)>& take) {
  using T = typename View::Stored;
  store::Page<T> page;
  TRY(services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(page, txn.list<T>(options_of<View>(query)));
    return {};
  }));
  for (T& item : page.items) {
    KindTraits<T>::complete(services, item);
    if (matches<View>(query, item)) take(watch_item<View>(item, services.clock.wall()));
  }
  PresentPage out{page.resource_version, std::move(page.continue_after), {}};
  const size_t slash = out.continue_after.find('/');
  if (slash != std::string::npos)
    out.last = {out.continue_after.substr(0, slash), out.continue_after.substr(slash + 1)};
  return out;
}

template <class View>
WatchedKind watched_kind() {
  return {View::Stored::kKind, View::kKind,           View::kApiVersion,      View::kShownAsStored,
          View::columns,       read_watch_item<View>, list_watch_items<View>, place_by_key};
}

template <class View>
Result<Response> list_objects(Call& call) {
  const k8s::Labels fields = View::fields(typename View::Stored{});
  ASSIGN_OR_RETURN(const bool watched, is_watch(call.request));
  if (watched) {
    ASSIGN_OR_RETURN(WatchQuery watch, parse_watch_query(call, fields));
    return start_watch(call, watched_kind<View>(), std::move(watch));
  }
  ASSIGN_OR_RETURN(const ListQuery query, parse_list_query(call, fields));
  ObjectPage<View> page;
  TRY(read_page(call.services, query, page));
  TRY(check_versions(call, query, View::Stored::kKind, page.meta.resource_version));
  if (query.continued_version > 0) page.meta.resource_version = query.continued_version;
  return list_response(call, page, query);
}

template <class View>
Result<Response> get_object(Call& call) {
  ASSIGN_OR_RETURN(auto object, read_object<typename View::Stored>(call));
  ListQuery query;
  query.form = k8s::requested_form(call.request.header("accept"));
  if (query.form == k8s::Form::kObject) return view_response<View>(object);
  if (query.form == k8s::Form::kMetadata)
    return json_response(k8s::partial_object(View::object(object)));
  query.include = k8s::parse_include_object(call.request.parameter("includeObject").value_or(""));
  const int64_t version = parse_integer<int64_t>(object.metadata.resource_version).value_or(0);
  return list_response(call, ObjectPage<View>{{std::move(object)}, {version, {}, 0}}, query);
}

}  // namespace paddock::api
