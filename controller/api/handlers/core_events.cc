#include "controller/api/handlers/core_events.h"

#include "controller/api/documents.h"
#include "controller/api/list_query.h"
#include "controller/k8s/core_events.h"

namespace paddock::api {
namespace {

using wire::Value;

constexpr int64_t kAtOnce = 500;

// The value that a selector demands of a field, if it demands one.
std::string demanded(const k8s::Selector& selector, std::string_view field) {
  for (const k8s::Requirement& each : selector.requirements) {
    const bool equal = each.op == k8s::SelectorOp::kIn && each.values.size() == 1;
    if (each.key == field && equal) return each.values[0];
  }
  return {};
}

// <object>/<event>: where a list goes on.
Status go_on_after(const std::string& place, store::PhaseQuery& query) {
  if (place.empty()) return {};
  const std::vector<std::string> parts = split(place, '/');
  const auto object = parse_integer<int64_t>(parts[0]);
  const auto event =
      parts.size() == 2 ? parse_integer<int64_t>(parts[1]) : std::optional<int64_t>();
  if (!object || !event) {
    return invalid_argument("CONTINUE_INVALID",
                            "the continue token is not one of this list; start the list again",
                            "continue");
  }
  query.after_object = *object;
  query.after_event = *event;
  return {};
}

struct EventPage {
  Value::Array events;
  k8s::ListMeta meta;
};

// With selectors it reads on until the page is full.
Status read_events(Services& services, const ListQuery& query, store::PhaseQuery phases,
                   EventPage& page) {
  return services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(page.meta.resource_version, txn.resource_version());
    const auto wanted = static_cast<size_t>(query.options.limit);
    phases.limit = kAtOnce;
    while (true) {
      ASSIGN_OR_RETURN(const auto records, txn.phase_records(phases));
      for (const store::PhaseRecord& record : records) {
        if (wanted > 0 && page.events.size() == wanted) {
          const std::string place = cat(phases.after_object, "/", phases.after_event);
          page.meta.continue_token = k8s::continue_token({page.meta.resource_version, place});
          return {};
        }
        phases.after_object = record.object_id;
        phases.after_event = record.event.id;
        Value event =
            k8s::core_event({record.run.name_space, record.run.name, record.run_uid}, record.event);
        if (query.labels.matches({}) && query.fields.matches(k8s::event_fields(event)))
          page.events.push_back(std::move(event));
      }
      if (records.size() < static_cast<size_t>(kAtOnce)) return {};
    }
  });
}

}  // namespace

Result<Response> list_events(Call& call) {
  if (is_watch(call.request)) {
    return Error{Code::kInvalidArgument, "METHOD_NOT_ALLOWED",
                 "events cannot be watched; watch the run, or follow its stream at "
                 "…/runs/{name}/events"};
  }
  ASSIGN_OR_RETURN(const ListQuery query,
                   parse_list_query(call, k8s::event_fields(Value(Value::Object{}))));
  store::PhaseQuery phases;
  phases.name_space = query.options.name_space;
  phases.run_name = demanded(query.fields, "involvedObject.name");
  TRY(go_on_after(query.options.after, phases));
  EventPage page;
  TRY(read_events(call.services, query, phases, page));
  Value meta = k8s::list_meta(page.meta);
  if (query.form != k8s::Form::kTable)
    return json_response(k8s::list("v1", "Event", std::move(meta), std::move(page.events)));
  Value::Array rows;
  for (const Value& event : page.events)
    rows.push_back(k8s::table_row(k8s::event_cells(event, call.now()), event, query.include));
  return json_response(k8s::table(k8s::event_columns(), std::move(meta), std::move(rows)));
}

}  // namespace paddock::api
