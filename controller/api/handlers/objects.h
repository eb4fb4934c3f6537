// Reading objects of any kind: one, or a list with selectors, pages and tables.
#pragma once

#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"
#include "controller/api/call.h"
#include "controller/api/documents.h"
#include "controller/k8s/selectors.h"
#include "controller/k8s/table.h"

namespace paddock::api {

// What field selectors may ask about each kind.
k8s::Labels selectable_fields(const contracts::Run& run);
k8s::Labels selectable_fields(const contracts::Workspace& workspace);
k8s::Labels selectable_fields(const contracts::Volume& volume);
k8s::Labels selectable_fields(const contracts::Node& node);

// Facts that are not stored with the object.
inline void complete(Call&, contracts::Run&) {}
inline void complete(Call&, contracts::Workspace&) {}
inline void complete(Call&, contracts::Volume&) {}
void complete(Call& call, contracts::Node& node);

struct ListQuery {
  k8s::Selector labels;
  k8s::Selector fields;
  store::ListOptions options;
  k8s::IncludeObject include = k8s::IncludeObject::kMetadata;
};
Result<ListQuery> parse_list_query(Call& call, const k8s::Labels& fields);

template <class T>
Result<T> read_object(Call& call) {
  T object;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(object, txn.get<T>(call.key()));
    return {};
  }));
  complete(call, object);
  return object;
}

// One page of matching objects. With selectors it reads on until the page is full.
template <class T>
Status read_page(Call& call, const ListQuery& query, std::vector<T>& items, k8s::ListMeta& meta) {
  return call.services.store.read([&](store::ReadTxn& txn) -> Status {
    store::ListOptions options = query.options;
    const auto wanted = static_cast<size_t>(query.options.limit);
    while (true) {
      ASSIGN_OR_RETURN(store::Page<T> page, txn.list<T>(options));
      meta.resource_version = page.resource_version;
      for (size_t i = 0; i < page.items.size(); ++i) {
        T& item = page.items[i];
        complete(call, item);
        if (query.labels.matches(item.metadata.labels) &&
            query.fields.matches(selectable_fields(item))) {
          items.push_back(std::move(item));
        }
      }
      options.after = page.continue_after;
      if (page.continue_after.empty()) return {};
      if (wanted > 0 && items.size() >= wanted) {
        meta.continue_token = k8s::continue_token(page.continue_after);
        if (query.labels.empty() && query.fields.empty()) meta.remaining = page.remaining;
        return {};
      }
      if (wanted > 0) options.limit = static_cast<int64_t>(wanted - items.size());
    }
  });
}

template <class T>
Response list_response(Call& call, const std::vector<T>& items, const ListQuery& query,
                       const k8s::ListMeta& meta) {
  const bool table = k8s::wants_table(call.request.header("accept"));
  wire::Value::Array out;
  out.reserve(items.size());
  for (const T& item : items) {
    wire::Value object = wire::encode(item);
    out.push_back(table ? k8s::table_row(k8s::cells(item, call.now()), object, query.include)
                        : std::move(object));
  }
  if (table) return json_response(k8s::table(T::kKind, k8s::list_meta(meta), std::move(out)));
  return json_response(k8s::list(T::kKind, k8s::list_meta(meta), std::move(out)));
}

template <class T>
Result<Response> list_objects(Call& call) {
  ASSIGN_OR_RETURN(const ListQuery query, parse_list_query(call, selectable_fields(T{})));
  std::vector<T> items;
  k8s::ListMeta meta;
  TRY(read_page(call, query, items, meta));
  return list_response(call, items, query, meta);
}

template <class T>
Result<Response> get_object(Call& call) {
  ASSIGN_OR_RETURN(const T object, read_object<T>(call));
  if (!k8s::wants_table(call.request.header("accept"))) return object_response(object);
  ListQuery query;
  query.include = k8s::parse_include_object(call.request.parameter("includeObject").value_or(""));
  const int64_t version = parse_integer<int64_t>(object.metadata.resource_version).value_or(0);
  return list_response(call, std::vector<T>{object}, query, {version, {}, 0});
}

// Decodes a new object from the body and gives it its metadata.
template <class T>
Result<T> new_object(Call& call);

// 409 unless the delete options' preconditions hold.
Status check_preconditions(const wire::Value& options, const contracts::ObjectMeta& meta);

}  // namespace paddock::api
