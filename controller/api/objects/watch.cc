#include "controller/api/objects/watch.h"

#include <algorithm>

#include "common/wire/json.h"
#include "controller/api/server/authenticate.h"
#include "controller/events/notifier.h"
#include "controller/events/watch_history.h"
#include "controller/k8s/watch.h"

namespace paddock::api {
namespace {

using events::ObjectChange;
using k8s::WatchEvent;

constexpr size_t kChangesAtOnce = 256;    // changes per look, and
constexpr size_t kTextAtOnce = 64 << 10;  // bytes per write: bound a watch's memory
constexpr Millis kRound{60'000};          // bookmarks, and whether the token still holds

// What the key alone tells of a field selector.
bool is_key_field(const std::string& field) {
  return field == "metadata.name" || field == "metadata.namespace";
}

// The part of a selector that the key alone decides, or the rest of it.
k8s::Selector part_of(const k8s::Selector& selector, bool by_key) {
  k8s::Selector out;
  for (const k8s::Requirement& each : selector.requirements) {
    if (is_key_field(each.key) == by_key) out.requirements.push_back(each);
  }
  return out;
}

class Watch {
 public:
  Watch(Services& services, const WatchedKind& kind, WatchQuery query, std::string authorization)
      : services_(services),
        kind_(kind),
        query_(std::move(query)),
        authorization_(std::move(authorization)),
        by_key_(part_of(query_.list.fields, true)),
        by_text_(part_of(query_.list.fields, false)),
        at_(query_.list.resource_version) {}

  void run(ResponseStream& out) {
    const MonoTime end = services_.clock.mono() + query_.timeout;
    next_round_ = services_.clock.mono() + kRound;
    if (query_.initial && !tell_present(out)) return;
    const std::string topic = store::kind_topic(kind_.stored_kind);
    events::Waiter waiter(out.client());
    while (out.open()) {
      const uint64_t seen = services_.notifier.version(topic);
      const auto look = services_.history.after(kind_.stored_kind, at_, kChangesAtOnce);
      if (!look) return (void)out.write(k8s::error_line(look.error()));
      if (!tell(look->changes, out)) return;
      at_ = look->up_to;
      if (look->changes.size() == kChangesAtOnce) continue;
      const MonoTime now = services_.clock.mono();
      if (now >= end || !make_round(now, out)) return;
      services_.notifier.wait(topic, seen, std::min(next_round_, end) - now, waiter);
      if (services_.notifier.stopped()) return;
    }
  }

 private:
  bool tell_present(ResponseStream& out) {
    std::vector<std::string> lines;
    const Status listed = kind_.list(
        services_, query_.list,
        [&](const WatchItem& item) {
          lines.push_back(k8s::watch_line(WatchEvent::kAdded, shown(item)));
        },
        at_);
    if (!listed.ok()) return (void)out.write(k8s::error_line(listed.error())), false;
    for (const std::string& line : lines) {
      if (!out.write(line)) return false;
    }
    return !query_.end_mark ||
           out.write(k8s::bookmark_line(kind_.api_version, kind_.kind, at_, true));
  }

  bool tell(const std::vector<std::shared_ptr<const ObjectChange>>& changes, ResponseStream& out) {
    std::string text;
    for (const auto& change : changes) {
      const auto line = line_of(*change);
      if (!line) return (void)out.write(text + k8s::error_line(line.error())), false;
      text += *line;
      if (text.size() < kTextAtOnce) continue;
      if (!out.write(text)) return false;
      text.clear();
    }
    return text.empty() || out.write(text);
  }

  bool concerns(const store::Key& key) const {
    const auto& name_space = query_.list.options.name_space;
    return (!name_space || *name_space == key.name_space) &&
           by_key_.matches({{"metadata.name", key.name}, {"metadata.namespace", key.name_space}});
  }

  Result<std::string> line_of(const ObjectChange& change) {
    if (!concerns(change.key)) return std::string();
    const bool selects = !query_.list.labels.empty() || !by_text_.empty();
    const bool raw = kind_.shown_as_stored && query_.list.form == k8s::Form::kObject;
    if (!selects && raw && change.after) {
      const WatchEvent event = change.before ? WatchEvent::kModified : WatchEvent::kAdded;
      return k8s::watch_line(event, *change.after);
    }
    return selected_line(change);
  }

  Result<std::string> selected_line(const ObjectChange& change) {
    std::optional<WatchItem> before;
    std::optional<WatchItem> after;
    if (change.before) {
      ASSIGN_OR_RETURN(before, kind_.read(services_, *change.before, change.resource_version));
    }
    if (change.after) {
      ASSIGN_OR_RETURN(after, kind_.read(services_, *change.after, change.resource_version));
    }
    const WatchEvent event = k8s::watch_event(matches(before), matches(after));
    if (event == WatchEvent::kNone) return std::string();
    return k8s::watch_line(event, shown(event == WatchEvent::kDeleted ? *before : *after));
  }

  bool matches(const std::optional<WatchItem>& item) const {
    return item && query_.list.labels.matches(item->labels) && by_text_.matches(item->fields);
  }

  std::string shown(const WatchItem& item) {
    if (query_.list.form == k8s::Form::kObject) return wire::to_json(item.object);
    if (query_.list.form == k8s::Form::kMetadata)
      return wire::to_json(k8s::partial_object(item.object));
    wire::Value columns = columns_told_ ? wire::Value(wire::Value::Array{}) : kind_.columns();
    columns_told_ = true;
    wire::Value meta =
        wire::Value::Object{{"resourceVersion", item.object.text("metadata.resourceVersion")}};
    return wire::to_json(k8s::table(
        std::move(columns), std::move(meta),
        wire::Value::Array{k8s::table_row(item.cells, item.object, query_.list.include)}));
  }

  // Once a minute: a token that was revoked ends its watches; a bookmark keeps a quiet one fresh.
  bool make_round(MonoTime now, ResponseStream& out) {
    if (now < next_round_) return true;
    next_round_ = now + kRound;
    Request again;
    again.headers["authorization"] = authorization_;
    if (!principal_of(again, services_.store, services_.clock.wall()).ok()) return false;
    return !query_.bookmarks ||
           out.write(k8s::bookmark_line(kind_.api_version, kind_.kind, at_, false));
  }

  Services& services_;
  const WatchedKind kind_;
  const WatchQuery query_;
  const std::string authorization_;
  const k8s::Selector by_key_;
  const k8s::Selector by_text_;
  int64_t at_;  // everything up to here was told
  MonoTime next_round_;
  bool columns_told_ = false;
};

}  // namespace

Result<Response> start_watch(Call& call, const WatchedKind& kind, WatchQuery query) {
  int64_t newest = 0;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(newest, txn.resource_version());
    return {};
  }));
  query.list.options.limit = 0;
  query.list.options.after.clear();
  query.list.exact = false;
  query.list.continued_version = query.initial ? 0 : query.list.resource_version;
  TRY(check_versions(call, query.list, kind.stored_kind, newest));
  Response response;
  response.stream = [watch = std::make_shared<Watch>(call.services, kind, std::move(query),
                                                     call.request.header("authorization"))](
                        ResponseStream& out) { watch->run(out); };
  return response;
}

}  // namespace paddock::api
