#include "controller/api/objects/watch.h"

#include <algorithm>

#include "common/wire/json.h"
#include "controller/api/server/authenticate.h"
#include "controller/events/topic_listener.h"
#include "controller/events/watch_history.h"
#include "controller/k8s/watch.h"

namespace paddock::api {
namespace {

using events::ObjectChange;
using k8s::WatchEvent;

constexpr size_t kChangesAtOnce = 256;  // changes per step, and
constexpr size_t kTextAtOnce =
    64 << 10;                          // about so many bytes: bound a watch's memory and its turn
constexpr size_t kDecodesAtOnce = 32;  // objects, read to be selected or shown: bound it too
constexpr Millis kRound{60'000};       // bookmarks, and whether the token still holds

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

class Watch final : public Steps {
 public:
  Watch(Services& services, const WatchedKind& kind, WatchQuery query, std::string authorization)
      : services_(services),
        kind_(kind),
        query_(std::move(query)),
        authorization_(std::move(authorization)),
        by_key_(part_of(query_.list.fields, true)),
        by_text_(part_of(query_.list.fields, false)),
        at_(query_.list.resource_version),
        changed_(services.notifier, store::kind_topic(kind_.stored_kind)),
        end_(services.clock.mono() + query_.timeout),
        next_round_(services.clock.mono() + kRound) {}

  // Before the steps, on a thread: reading all that is there may take a while, and so may sending
  // it.
  void begin(ResponseStream& out) { over_ = query_.initial && !tell_present(out); }

  Next step(ResponseStream& out, const std::shared_ptr<Bell>& bell) override {
    constexpr Next kOver{Then::kEnd};
    if (over_ || changed_.stopped()) return kOver;
    const uint64_t seen = changed_.version();
    const auto look = services_.history.after(kind_.stored_kind, at_, kChangesAtOnce);
    if (!look) return out.write(k8s::error_line(look.error())), kOver;
    const Result<bool> told_all = tell(look->changes, out);
    if (!told_all) return out.write(k8s::error_line(told_all.error())), kOver;
    if (*told_all) at_ = look->up_to;
    if (!*told_all || look->changes.size() == kChangesAtOnce) return {Then::kAgain};
    const MonoTime now = services_.clock.mono();
    if (now >= end_ || !make_round(now, out)) return kOver;
    changed_.listen(seen, bell);
    return {Then::kWait, std::min(next_round_, end_) - now};
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

  // Whether all of them were told; at_ says up to which.
  Result<bool> tell(const std::vector<std::shared_ptr<const ObjectChange>>& changes,
                    ResponseStream& out) {
    std::string text;
    Status readable;
    decoded_ = 0;
    for (const auto& change : changes) {
      auto line = line_of(*change);
      if (!line) {
        readable = std::move(line).error();
        break;
      }
      text += *line;
      at_ = change->resource_version;
      if (text.size() >= kTextAtOnce || decoded_ >= kDecodesAtOnce) break;
    }
    if (!text.empty()) out.write(text);
    TRY(std::move(readable));
    return changes.empty() || at_ == changes.back()->resource_version;
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

  Result<std::optional<WatchItem>> read(const std::shared_ptr<const std::string>& text,
                                        int64_t resource_version) {
    if (!text) return std::optional<WatchItem>();
    ++decoded_;
    ASSIGN_OR_RETURN(WatchItem item, kind_.read(services_, *text, resource_version));
    return std::optional(std::move(item));
  }

  Result<std::string> selected_line(const ObjectChange& change) {
    ASSIGN_OR_RETURN(const auto before, read(change.before, change.resource_version));
    ASSIGN_OR_RETURN(const auto after, read(change.after, change.resource_version));
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
  events::TopicListener changed_;
  const MonoTime end_;
  MonoTime next_round_;
  size_t decoded_ = 0;  // objects, in this step
  bool columns_told_ = false;
  bool over_ = false;  // what is there could not be told
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
  auto watch = std::make_shared<Watch>(call.services, kind, std::move(query),
                                       call.request.header("authorization"));
  Response response;
  response.stream = [watch](ResponseStream& out) { watch->begin(out); };
  response.steps = std::move(watch);
  return response;
}

}  // namespace paddock::api
