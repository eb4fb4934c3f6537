// Reading objects of any kind: one, a list with selectors, pages and tables, or a watch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "controller/api/objects/list_query.h"
#include "controller/api/objects/long_list.h"
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
  // What only another object tells of it, which would be too much to ask for each of a list.
  if constexpr (requires { KindTraits<T>::look_around(call.services, object); })
    TRY(KindTraits<T>::look_around(call.services, object));
  return object;
}

template <class View>
struct ObjectPage {
  std::vector<typename View::Stored> items;
  k8s::ListMeta meta;
  std::string after = {};  // where the list goes on; empty: this is all
};

template <class View>
bool matches(const ListQuery& query, const typename View::Stored& item) {
  return query.labels.matches(View::labels(item)) && query.fields.matches(View::fields(item));
}

template <class View>
store::ListOptions options_of(const ListQuery& query) {
  store::ListOptions options = query.options;
  options.leave_out = true;
  KindTraits<typename View::Stored>::narrow(query, options);
  return options;
}

// Reads matching objects until there are as many as the query wants, or as many bytes of them: then
// `after` is where the list goes on. A part ends too where much was read and little of it matched,
// or nothing, so that others have their turn.
template <class View>
Status read_part(store::ReadTxn& txn, Services& services, const ListQuery& query, size_t most,
                 ObjectPage<View>& out) {
  using T = typename View::Stored;
  store::ListOptions options = options_of<View>(query);
  options.bytes = most;
  const auto wanted = static_cast<size_t>(query.options.limit);
  size_t read = 0;
  size_t kept = 0;
  while (true) {
    const size_t left = wanted == 0 ? kListRows : wanted - out.items.size();
    options.limit = std::min(kListRows, static_cast<int64_t>(left));
    ASSIGN_OR_RETURN(store::Page<T> page, txn.list<T>(options));
    out.meta.resource_version = page.resource_version;
    const size_t before = out.items.size();
    for (T& item : page.items) {
      KindTraits<T>::complete(services, item);
      if (matches<View>(query, item)) out.items.push_back(std::move(item));
    }
    read += page.bytes;
    if (!page.items.empty()) kept += page.bytes * (out.items.size() - before) / page.items.size();
    out.meta.remaining = page.remaining;
    out.after = options.after = std::move(page.continue_after);
    if (out.after.empty() || (wanted > 0 && out.items.size() >= wanted) || kept >= most ||
        read >= 16 * most)
      return {};
  }
}

template <class View>
Status read_page(Services& services, const ListQuery& query, size_t most, ObjectPage<View>& out) {
  return services.store.read([&](store::ReadTxn& txn) -> Status {
    out = {};
    return read_part(txn, services, query, most, out);
  });
}

template <class View>
wire::Value::Array shown_items(const std::vector<typename View::Stored>& items,
                               const ListQuery& query, WallTime now) {
  wire::Value::Array out;
  out.reserve(items.size());
  for (const auto& item : items) {
    wire::Value object = View::object(item);
    if (query.form == k8s::Form::kTable) {
      out.push_back(k8s::table_row(View::cells(item, now), object, query.include));
    } else {
      out.push_back(query.form == k8s::Form::kMetadata ? k8s::partial_object(object)
                                                       : std::move(object));
    }
  }
  return out;
}

template <class View>
wire::Value list_document(const k8s::ListMeta& list, const ListQuery& query,
                          wire::Value::Array&& items) {
  return k8s::list_in(query.form, View::columns, View::kApiVersion, View::kKind, list,
                      std::move(items));
}

template <class View>
Response list_response(Call& call, const ObjectPage<View>& page, const ListQuery& query) {
  return json_response(
      list_document<View>(page.meta, query, shown_items<View>(page.items, query, call.now())));
}

// A page of a list that goes on behind it.
template <class View>
Response page_response(Call& call, ObjectPage<View> page, const ListQuery& query) {
  page.meta.continue_token = k8s::continue_token({page.meta.resource_version, page.after});
  if (!query.labels.empty() || !query.fields.empty()) page.meta.remaining = 0;
  return list_response(call, page, query);
}

// All of a list of which `page` is the beginning.
template <class View>
Response whole_response(Call& call, const ObjectPage<View>& page, ListQuery query) {
  const wire::Value empty = list_document<View>({page.meta.resource_version, {}, 0}, query, {});
  wire::Value::Array first = shown_items<View>(page.items, query, call.now());
  query.options.after = page.after;
  const auto next = [&services = call.services, query]() mutable -> Result<ListPart> {
    ObjectPage<View> part;
    TRY(read_page(services, query, kListStepBytes, part));
    query.options.after = part.after;
    return ListPart{shown_items<View>(part.items, query, services.clock.wall()),
                    part.after.empty()};
  };
  return long_list(call, empty, std::move(first), next);
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
  TRY(read_page(call.services, query, kListBytes, page));
  TRY(check_versions(call, query, View::Stored::kKind, page.meta.resource_version));
  // Later pages carry the first one's version: a watch from there misses nothing.
  if (query.continued_version > 0) page.meta.resource_version = query.continued_version;
  if (page.after.empty()) return list_response(call, page, query);
  if (query.options.limit == 0) return whole_response(call, page, query);
  return page_response(call, std::move(page), query);
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
  return list_response(call, ObjectPage<View>{{std::move(object)}, {version, {}, 0}, {}}, query);
}

}  // namespace paddock::api
