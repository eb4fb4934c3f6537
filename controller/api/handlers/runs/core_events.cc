#include "controller/api/handlers/runs/core_events.h"

#include "controller/api/objects/list_query.h"
#include "controller/api/objects/long_list.h"
#include "controller/api/objects/watch.h"
#include "controller/api/server/documents.h"
#include "controller/base/event_name.h"
#include "controller/events/watch_history.h"
#include "controller/k8s/core_events.h"
#include "controller/store/phase_records.h"

namespace paddock::api {
namespace {

using store::PhaseRecord;
using wire::Value;

constexpr int64_t kEventsAtOnce = 100;
constexpr int64_t kMostLookedAt = 2'000;  // for a part of a list, whatever of them is wanted
constexpr size_t kShownAbout = 512;       // bytes of an event beside its own text

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

// The question to the store. If a selector names the run or the event, one run's events are read
// and no others.
store::PhaseQuery phases_of(const ListQuery& query) {
  store::PhaseQuery phases;
  phases.name_space = query.options.name_space;
  if (const auto run = k8s::demanded(query.fields, "involvedObject.name")) {
    phases.run_name = *run;
  } else if (const auto event = k8s::demanded(query.fields, "metadata.name")) {
    phases.run_name = run_of_event(*event);
  }
  return phases;
}

WatchItem item_of(const PhaseRecord& record, WallTime now) {
  WatchItem item;
  item.object = k8s::core_event({record.run.name_space, record.run.name, record.run_uid},
                                record.event, record.resource_version);
  item.fields = k8s::event_fields(item.object);
  item.cells = k8s::event_cells(item.object, now);
  return item;
}

// Hands over what matches, in the order of the runs, until `take` has enough or many records were
// read: then `phases` is where it goes on. Whether there may be more.
Result<bool> walk(store::ReadTxn& txn, const ListQuery& query, WallTime now,
                  store::PhaseQuery& phases,
                  const std::function<bool(WatchItem, size_t bytes)>& take) {
  phases.limit = kEventsAtOnce;
  for (int64_t read = 0; read < kMostLookedAt; read += kEventsAtOnce) {
    ASSIGN_OR_RETURN(const auto records, txn.phase_records(phases));
    for (const PhaseRecord& record : records) {
      WatchItem item = item_of(record, now);
      const bool wanted = query.labels.matches(item.labels) && query.fields.matches(item.fields);
      if (wanted && !take(std::move(item), record.event.data.size() + kShownAbout)) return true;
      phases.after_object = record.object_id;
      phases.after_event = record.event.id;
    }
    if (records.size() < static_cast<size_t>(kEventsAtOnce)) return false;
  }
  return true;
}

struct EventPage {
  std::vector<WatchItem> events;
  k8s::ListMeta meta;
  store::PhaseQuery place = {};  // where the list goes on
  bool more = false;
};

// A part of at most so many bytes, and with `limit` of so many events. It is read by one more:
// whether there is another.
Status read_events(Services& services, const ListQuery& query, store::PhaseQuery phases,
                   size_t most, EventPage& page) {
  return services.store.read([&](store::ReadTxn& txn) -> Status {
    page = {};
    page.place = phases;
    ASSIGN_OR_RETURN(page.meta.resource_version, txn.resource_version());
    const auto wanted = static_cast<size_t>(query.options.limit);
    size_t kept = 0;
    const auto take = [&](WatchItem item, size_t bytes) {
      if ((wanted > 0 && page.events.size() == wanted) || kept >= most) return false;
      kept += bytes;
      page.events.push_back(std::move(item));
      return true;
    };
    ASSIGN_OR_RETURN(page.more, walk(txn, query, services.clock.wall(), page.place, take));
    return {};
  });
}

Result<WatchItem> read_change(Services& services, std::string_view text, int64_t version) {
  ASSIGN_OR_RETURN(PhaseRecord record, store::parse_phase(text));
  record.resource_version = version;
  return item_of(record, services.clock.wall());
}

// Numbers as texts that sort as they do.
ListPlace place_of(const PhaseRecord& record) {
  const auto padded = [](int64_t number) {
    const std::string digits = std::to_string(number);
    return std::string(digits.size() < 19 ? 19 - digits.size() : 0, '0') + digits;
  };
  return {padded(record.object_id), padded(record.event.id)};
}

Result<ListPlace> place_of_change(const events::ObjectChange& change) {
  ASSIGN_OR_RETURN(const PhaseRecord record,
                   store::parse_phase(change.after ? *change.after : *change.before));
  return place_of(record);
}

Result<PresentPage> list_present(Services& services, const ListQuery& query,
                                 const std::function<void(const WatchItem&)>& take) {
  store::PhaseQuery phases = phases_of(query);
  TRY(go_on_after(query.options.after, phases));
  phases.limit = query.options.limit;
  PresentPage page;
  std::vector<PhaseRecord> records;
  TRY(services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(page.resource_version, txn.resource_version());
    ASSIGN_OR_RETURN(records, txn.phase_records(phases));
    return {};
  }));
  for (const PhaseRecord& record : records) {
    const WatchItem item = item_of(record, services.clock.wall());
    if (query.labels.matches(item.labels) && query.fields.matches(item.fields)) take(item);
  }
  if (records.size() < static_cast<size_t>(phases.limit)) return page;
  page.last = place_of(records.back());
  page.continue_after = cat(records.back().object_id, "/", records.back().event.id);
  return page;
}

constexpr WatchedKind kEvents{store::kPhaseKind,  "Event",     "v1",         false,
                              k8s::event_columns, read_change, list_present, place_of_change};

Value::Array shown_events(std::vector<WatchItem> events, const ListQuery& query) {
  Value::Array items;
  for (WatchItem& each : events) {
    if (query.form == k8s::Form::kTable) {
      items.push_back(k8s::table_row(std::move(each.cells), each.object, query.include));
    } else {
      items.push_back(query.form == k8s::Form::kMetadata ? k8s::partial_object(each.object)
                                                         : std::move(each.object));
    }
  }
  return items;
}

Value event_list(const k8s::ListMeta& list, const ListQuery& query, Value::Array items) {
  return k8s::list_in(query.form, k8s::event_columns, "v1", "Event", list, std::move(items));
}

// A whole list, or a page of one.
Response events_response(EventPage page, const ListQuery& query) {
  if (page.more) {
    const std::string place = cat(page.place.after_object, "/", page.place.after_event);
    page.meta.continue_token = k8s::continue_token({page.meta.resource_version, place});
  }
  return json_response(event_list(page.meta, query, shown_events(std::move(page.events), query)));
}

// All of a list of which `page` is the beginning.
Response all_events(const Call& call, EventPage page, const ListQuery& query) {
  const auto next = [&services = call.services, query,
                     place = page.place]() mutable -> Result<ListPart> {
    EventPage part;
    TRY(read_events(services, query, place, kListStepBytes, part));
    place = part.place;
    return ListPart{shown_events(std::move(part.events), query), !part.more};
  };
  return long_list(call, event_list(page.meta, query, {}),
                   shown_events(std::move(page.events), query), next);
}

}  // namespace

Result<Response> list_events(Call& call) {
  const k8s::Labels fields = k8s::event_fields(Value(Value::Object{}));
  ASSIGN_OR_RETURN(const bool watched, is_watch(call.request));
  if (watched) {
    ASSIGN_OR_RETURN(WatchQuery watch, parse_watch_query(call, fields));
    return start_watch(call, kEvents, std::move(watch));
  }
  ASSIGN_OR_RETURN(const ListQuery query, parse_list_query(call, fields));
  store::PhaseQuery phases = phases_of(query);
  TRY(go_on_after(query.options.after, phases));
  EventPage page;
  TRY(read_events(call.services, query, phases, kListBytes, page));
  TRY(check_versions(call, query, store::kPhaseKind, page.meta.resource_version));
  if (query.continued_version > 0) page.meta.resource_version = query.continued_version;
  if (page.more && query.options.limit == 0) return all_events(call, std::move(page), query);
  return events_response(std::move(page), query);
}

// A list of one, by the selector that finds an event through its run: the name of an event holds
// that of its run, and a name without one is no event's.
Result<Response> get_event(Call& call) {
  ListQuery query;
  query.options.name_space = call.param("ns");
  query.fields.requirements = {{"metadata.name", k8s::SelectorOp::kIn, {call.param("name")}}};
  query.form = k8s::requested_form(call.request.header("accept"));
  query.include = k8s::parse_include_object(call.request.parameter("includeObject").value_or(""));
  const store::PhaseQuery phases = phases_of(query);
  EventPage page;
  query.options.limit = 1;
  page.place = phases;
  page.more = !phases.run_name.empty();
  while (page.more && page.events.empty())
    TRY(read_events(call.services, query, page.place, kListBytes, page));
  page.more = false;
  if (page.events.empty()) {
    return Error{Code::kNotFound, "EVENT_NOT_FOUND",
                 cat("events \"", to_utf8_lossy(call.param("name")), "\" not found")};
  }
  if (query.form == k8s::Form::kTable) return events_response(std::move(page), query);
  Value& event = page.events.front().object;
  return json_response(query.form == k8s::Form::kMetadata ? k8s::partial_object(event)
                                                          : std::move(event));
}

}  // namespace paddock::api
