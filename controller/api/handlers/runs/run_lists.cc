#include "controller/api/handlers/runs/run_lists.h"

#include <algorithm>
#include <map>
#include <set>

#include "controller/api/handlers/runs/arrays.h"
#include "controller/api/handlers/runs/expected_files.h"
#include "controller/api/handlers/runs/list_refusals.h"
#include "controller/api/handlers/runs/run_admission.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/handlers/runs/tool_bundles.h"
#include "controller/api/objects/creates.h"
#include "controller/reconciler/reconciler.h"

namespace paddock::api {
namespace {

using contracts::Run;
using wire::Value;

constexpr const char* kListKind = "RunList";
constexpr const char* kMissing = "required: a list of runs";

// One item of the list while it is being created.
struct Item {
  size_t index = 0;
  Run run;
  bool generated = false;  // its name
};
using Items = std::vector<Item>;

Status check_fields(const Call& call, const CreateRequest& create,
                    std::vector<std::string>& warnings) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : *call.body.object()) {
    const bool known =
        name == "apiVersion" || name == "kind" || name == "metadata" || name == "items";
    if (!known) unknown.push_back(name);
  }
  const wire::Check refused = judge_unknown_fields(unknown, create.validation, warnings);
  return refused.ok() ? Status() : refused.error();
}

Result<const Value::Array*> items_of(const Call& call, const CreateRequest& create,
                                     std::vector<std::string>& warnings) {
  TRY(k8s::check_kind(call.body.text("apiVersion"), call.body.text("kind"), kListKind));
  TRY(check_fields(call, create, warnings));
  const Value* items = call.body.find("items");
  if (items == nullptr || items->array() == nullptr)
    return Error{Code::kInvalidArgument,
                 "INVALID_FIELD",
                 kMissing,
                 {{"items", kMissing, CauseKind::kRequired}}};
  if (items->array()->empty())
    return invalid_argument("LIST_EMPTY", "a list of runs to create names at least one", "items");
  if (items->array()->size() > kMostRunsAtOnce) {
    const std::string message = cat("the list has ", items->array()->size(), " runs; at most ",
                                    kMostRunsAtOnce, " are created at once");
    return Error{Code::kTooLarge, "LIST_TOO_LONG", message, {{"items", message}}};
  }
  return items->array();
}

Result<Item> read_item(Call& call, const CreateRequest& create, const Value& document, size_t index,
                       std::vector<std::string>& warnings) {
  // If the kind is another one, no other field fits either, so it is checked first.
  if (const std::string kind = document.text("kind"); !kind.empty())
    TRY(k8s::check_kind(contracts::kApiVersion, kind, Run::kKind));
  std::vector<std::string> own;
  ASSIGN_OR_RETURN(Run run, new_object<Run>(call, create, document, own));
  TRY(KindTraits<contracts::Run>::check_maker(call.principal, run));
  for (const std::string& each : own) {
    if (warnings.size() < 20) warnings.push_back(cat(item_path(index, {}), ": ", each));
  }
  return Item{index, std::move(run), document.text("metadata.name").empty()};
}

Status take_name(std::map<std::string, size_t>& names, const Item& item) {
  const auto [at, fresh] = names.emplace(item.run.metadata.name, item.index);
  if (fresh) return {};
  return invalid_argument("NAME_TWICE", cat(item_path(at->second, {}), " has this name already"),
                          "metadata.name");
}

// Reads the items. Those that cannot be read become refusals.
Result<Items> read_items(Call& call, const CreateRequest& create, const Value::Array& documents,
                         ListRefusals& refused, std::vector<std::string>& warnings) {
  Items items;
  items.reserve(documents.size());
  std::map<std::string, size_t> names;
  for (size_t i = 0; i < documents.size(); ++i) {
    Result<Item> item = read_item(call, create, documents[i], i, warnings);
    if (!item) {
      TRY(refused.add(i, std::move(item).error()));
      continue;
    }
    const Status fresh = item->generated ? Status() : take_name(names, *item);
    if (fresh.ok()) {
      items.push_back(std::move(*item));
    } else {
      TRY(refused.add(i, fresh.error()));
    }
  }
  return items;
}

// An array counts as its elements.
Status check_elements(const Items& items) {
  int64_t elements = 0;
  for (const Item& item : items) elements += contracts::element_count(item.run.spec);
  if (elements <= contracts::kMostElements) return {};
  const std::string message = cat("the arrays of the list have ", elements, " elements; at most ",
                                  contracts::kMostElements, " are created at once");
  return Error{Code::kTooLarge, "LIST_TOO_LONG", message, {{"items", message}}};
}

// No item has the name of another's element: the array would be made, and that element fail.
Status check_names_apart(const Items& items, ListRefusals& refused) {
  std::map<std::string, int64_t> arrays;  // and how many elements they have
  for (const Item& item : items)
    if (contracts::is_array(item.run.spec))
      arrays[item.run.metadata.name] = contracts::element_count(item.run.spec);
  for (const Item& item : items) {
    const auto name = contracts::parse_element_name(item.run.metadata.name);
    const auto array = name ? arrays.find(name->array) : arrays.end();
    if (array == arrays.end() || name->index >= array->second) continue;
    TRY(refused.add(item.index, element_name_taken(item.run.metadata.name, name->array)));
  }
  return {};
}

// Orders the items by workspace, so that each workspace is read once, and a snapshot is held only
// while one is read.
std::vector<Item*> by_workspace(Items& items) {
  std::vector<Item*> order(items.size());
  std::ranges::transform(items, order.begin(), [](Item& item) { return &item; });
  std::ranges::stable_sort(
      order, {}, [](const Item* item) -> const std::string& { return item->run.spec.workspace; });
  return order;
}

Status admit_item(const Services& services, RunAdmission& admission, Run& run) {
  TRY(admission.admit(run, admission::wanted_media(run.spec)));
  show_summary_only(run);
  return services.reconciler.check_bounds(run);
}

// Admits the items of one workspace, beginning at `from`. Returns where the items of the next
// workspace begin.
Result<size_t> admit_group(const Services& services, store::ReadTxn& txn,
                           const std::vector<Item*>& order, size_t from, ListRefusals& refused) {
  RunAdmission admission(services, txn);
  const std::string workspace = order[from]->run.spec.workspace;
  for (; from < order.size() && order[from]->run.spec.workspace == workspace; ++from) {
    const Status admitted = admit_item(services, admission, order[from]->run);
    if (!admitted.ok()) TRY(refused.add(order[from]->index, admitted.error()));
  }
  return from;
}

Status admit_items(Call& call, Items& items, ListRefusals& refused) {
  const std::vector<Item*> order = by_workspace(items);
  for (size_t from = 0; from < order.size();) {
    const auto admit = [&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(from, admit_group(call.services, txn, order, from, refused));
      return {};
    };
    TRY(call.services.store.read(admit));
  }
  return {};
}

std::vector<store::NewObject> names_of(const Items& items) {
  std::vector<store::NewObject> names;
  for (const Item& item : items)
    names.push_back({Run::kKind, {item.run.metadata.name_space, item.run.metadata.name}});
  return names;
}

std::vector<std::string> uids_of(const Items& items) {
  std::vector<std::string> uids;
  for (const Item& item : items) uids.push_back(item.run.metadata.uid);
  return uids;
}

std::map<std::string, int64_t> places_of(const Items& items) {
  std::map<std::string, int64_t> places;
  for (const Item& item : items)
    places[item.run.metadata.uid] = reconciler::queue_places(item.run.spec);
  return places;
}

// The scheduler orders runs that were created at the same time by uid, so the uids are given out in
// the order of the list.
void put_in_order(Items& items) {
  std::vector<std::string> uids = uids_of(items);
  std::ranges::sort(uids);
  for (size_t i = 0; i < items.size(); ++i) {
    items[i].run.metadata.uid = std::move(uids[i]);
    items[i].run.metadata.creation_timestamp = items[0].run.metadata.creation_timestamp;
  }
}

// A name that is free; those that are given stay free for their items.
Status make_name(store::WriteTxn& txn, Random& random, const std::set<std::string>& given,
                 contracts::ObjectMeta& meta) {
  for (int attempt = 1; attempt < kNameAttempts; ++attempt) {
    ASSIGN_OR_RETURN(const bool taken, txn.exists(Run::kKind, {meta.name_space, meta.name}));
    if (!taken && !given.contains(meta.name)) return {};
    meta.name = k8s::generated_name(meta.generate_name, make_suffix(random));
  }
  return {};
}

Status save_item(store::WriteTxn& txn, Call& call, const CreateRequest& create, Item& item) {
  contracts::ObjectMeta& meta = item.run.metadata;
  Status saved = KindTraits<contracts::Run>::save_new(call.services, txn, item.run, call.now());
  if (!saved.ok()) {
    Error error = std::move(saved).error();
    if (error.code == Code::kAlreadyExists)
      error.causes.push_back({"metadata.name", error.message});
    return error;
  }
  TRY(record(txn, call, KindTraits<contracts::Run>::create_event(item.run), "runs", meta));
  return remember_create(txn, create.key, meta.name, item.index);
}

Status save_items(store::WriteTxn& txn, Call& call, const CreateRequest& create, Items& items) {
  std::set<std::string> given;
  for (const Item& item : items) {
    if (!item.generated) given.insert(item.run.metadata.name);
  }
  ListRefusals refused;
  for (Item& item : items) {
    if (item.generated) TRY(make_name(txn, call.services.random, given, item.run.metadata));
    const Status saved = save_item(txn, call, create, item);
    if (!saved.ok()) TRY(refused.add(item.index, saved.error()));
  }
  return refused.status();
}

// The runs that an earlier request with this key made, as far as they still exist.
Result<std::vector<Run>> earlier_runs(store::ReadTxn& txn, const Call& call,
                                      const IdempotencyKey& key) {
  std::vector<Run> runs;
  ASSIGN_OR_RETURN(const auto names, earlier_creates(txn, key));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(auto run, txn.find<Run>({call.param("ns"), name}));
    if (run) runs.push_back(std::move(*run));
  }
  return runs;
}

Response list_answer(Call& call, std::vector<Run> runs, int status) {
  ObjectPage<Itself<Run>> page{std::move(runs), {}, {}};
  for (const Run& run : page.items) {
    const int64_t version = parse_integer<int64_t>(run.metadata.resource_version).value_or(0);
    page.meta.resource_version = std::max(page.meta.resource_version, version);
  }
  ListQuery query;
  query.form = k8s::requested_form(call.request.header("accept"));
  Response response = list_response(call, page, query);
  response.status = status;
  return response;
}

// Stores them all, or gives what another with the same key stored meanwhile.
Result<Response> store_items(Call& call, const CreateRequest& create, Items& items) {
  std::vector<Run> earlier;
  TRY(write_new(call, create, names_of(items), [&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(earlier, earlier_runs(txn, call, create.key));
    return earlier.empty() ? save_items(txn, call, create, items) : Status();
  }));
  PADDOCK_CRASH_POINT("create-stored");
  if (!earlier.empty()) return list_answer(call, std::move(earlier), 200);
  std::vector<Run> made;
  made.reserve(items.size());
  for (Item& item : items) {
    if (create.dry_run) item.run.metadata.resource_version.clear();
    made.push_back(std::move(item.run));
  }
  return list_answer(call, std::move(made), 201);
}

Result<std::vector<Run>> find_earlier_runs(Call& call, const IdempotencyKey& key) {
  std::vector<Run> found;
  if (key.scope.empty()) return found;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(found, earlier_runs(txn, call, key));
    return {};
  }));
  return found;
}

Result<Response> create_list(Call& call) {
  ASSIGN_OR_RETURN(const CreateRequest create, read_create(call));
  ASSIGN_OR_RETURN(std::vector<Run> earlier, find_earlier_runs(call, create.key));
  if (!earlier.empty()) return list_answer(call, std::move(earlier), 200);
  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(const Value::Array* documents, items_of(call, create, warnings));
  ListRefusals refused;
  ASSIGN_OR_RETURN(Items items, read_items(call, create, *documents, refused, warnings));
  TRY(check_elements(items));
  TRY(check_names_apart(items, refused));
  TRY(admit_items(call, items, refused));
  TRY(refused.status());
  ASSIGN_OR_RETURN(const auto room,
                   call.services.reconciler.reserve_places(call.param("ns"), places_of(items)));
  put_in_order(items);
  for (Item& item : items) TRY(own_fields(call, create, (*documents)[item.index], item.run));
  ASSIGN_OR_RETURN(Response response, store_items(call, create, items));
  add_warnings(response, warnings);
  return response;
}

}  // namespace

Result<Response> create_runs(Call& call) {
  const bool list = call.body.text("kind") == kListKind;
  if (!list && call.body.find("tree") != nullptr) {
    ASSIGN_OR_RETURN(const bool tried, wants_dry_run(call.request, wire::Value()));
    if (tried) return try_run(call);
  }
  return list ? create_list(call) : create_object<Run>(call);
}

}  // namespace paddock::api
