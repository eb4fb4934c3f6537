#include "controller/api/objects/watch.h"

#include <algorithm>

#include "common/wire/json.h"
#include "controller/api/server/bearer.h"
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
constexpr int64_t kFirstAtOnce = 8;    // objects, before it is known how large they are
constexpr Millis kSoon{5};             // a commit that a page has seen is on its way to the history
constexpr Millis kBookmarks{15'000};   // so soon a client may know that nobody is there any more

// Whether a field selector on this field can be judged by the object's key alone.
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
  Watch(const Call& call, const WatchedKind& kind, WatchQuery query)
      : services_(call.services),
        kind_(kind),
        query_(std::move(query)),
        token_(call),
        by_key_(part_of(query_.list.fields, true)),
        by_text_(part_of(query_.list.fields, false)),
        present_(query_.list),
        telling_present_(query_.initial),
        at_(query_.list.resource_version),
        changed_(services_.notifier, store::kind_topic(kind_.stored_kind)),
        end_(services_.clock.mono() + query_.timeout),
        next_bookmark_(services_.clock.mono() + kBookmarks) {
    present_.options.limit = kFirstAtOnce;
    present_.options.newest_first = false;
  }

  Next step(ResponseStream& out, const std::shared_ptr<Waker>& waker) override {
    constexpr Next kOver{Then::kEnd};
    if (changed_.stopped()) return kOver;
    if (telling_present_ || services_.clock.mono() >= token_.next()) return {Then::kAsk};
    const uint64_t seen = changed_.version();
    const auto look = services_.history.after(kind_.stored_kind, at_, kChangesAtOnce,
                                              query_.list.options.name_space);
    if (!look) return out.write(k8s::error_line(look.error())), kOver;
    const Result<bool> told_all = tell(look->changes, out);
    if (!told_all) return out.write(k8s::error_line(told_all.error())), kOver;
    if (*told_all) at_ = look->up_to;
    if (!*told_all || look->changes.size() == kChangesAtOnce) return {Then::kAgain};
    if (!mark_end(out)) return {Then::kWait, kSoon};
    if (at_ >= told_.newest()) told_ = {};  // asked of older changes alone, and of many pages large
    const MonoTime now = services_.clock.mono();
    if (now >= end_ || !mark_time(now, out)) return kOver;
    changed_.listen(seen, waker);
    const MonoTime next = query_.bookmarks ? std::min(end_, next_bookmark_) : end_;
    return {Then::kWait, std::min(next, token_.next()) - now};
  }

  // All that it asks the store: whether its token still holds, and pages of what is there.
  Next ask(ResponseStream& out) override {
    if (const Status held = token_.check(); !held.ok()) return over(held.error(), out);
    if (!telling_present_) return {Then::kAgain};
    if (!tell_present(out)) return {Then::kEnd};
    return {telling_present_ ? Then::kAsk : Then::kAgain};
  }

 private:
  // A page of what is there. False: it cannot be told.
  bool tell_present(ResponseStream& out) {
    std::string text;
    size_t matching = 0;
    const auto page = kind_.list(services_, present_, [&](const WatchItem& item) {
      text += k8s::watch_line(WatchEvent::kAdded, shown(item));
      ++matching;
    });
    if (!page.ok()) return (void)out.write(k8s::error_line(page.error())), false;
    telling_present_ = !page->continue_after.empty();
    told_.add(telling_present_ ? std::optional(page->last) : std::nullopt, page->resource_version);
    at_ = told_.first();
    present_.options.after = page->continue_after;
    present_.options.limit = fitting(text.size(), matching);
    return text.empty() || out.write(text);
  }

  // Objects of the sizes that were seen last.
  static int64_t fitting(size_t bytes, size_t objects) {
    const size_t each = objects == 0 ? 0 : bytes / objects;
    const size_t count = each == 0 ? kDecodesAtOnce : kTextAtOnce / each;
    return static_cast<int64_t>(std::clamp<size_t>(count, 1, kDecodesAtOnce));
  }

  // Once all of what the pages showed was told, where a client wants to know. False: not yet.
  bool mark_end(ResponseStream& out) {
    if (!query_.end_mark || marked_) return true;
    if (at_ < told_.newest()) return false;
    marked_ = true;
    return out.write(bookmark(true)), true;
  }

  // A bookmark in the form that was asked for. Tables have none of their own.
  std::string bookmark(bool initial_end) const {
    if (query_.list.form == k8s::Form::kMetadata)
      return k8s::bookmark_line("meta.k8s.io/v1", "PartialObjectMetadata", at_, initial_end);
    return k8s::bookmark_line(kind_.api_version, kind_.kind, at_, initial_end);
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
    if (change.resource_version <= told_.newest()) {
      ASSIGN_OR_RETURN(const ListPlace place, kind_.place(change));
      if (told_.has(place, change.resource_version)) return std::string();
    }
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

  // No list told of an object that cannot be read: for a watch it was not there.
  Result<std::optional<WatchItem>> read_before(const ObjectChange& change) {
    auto before = read(change.before, change.resource_version);
    if (!before && store::is_unreadable(before.error())) return std::optional<WatchItem>();
    return before;
  }

  Result<std::string> selected_line(const ObjectChange& change) {
    ASSIGN_OR_RETURN(const auto before, read_before(change));
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

  // A client that was told why goes on elsewhere.
  static Next over(const Error& token, ResponseStream& out) {
    if (token.code == Code::kUnavailable) out.write(k8s::error_line(token));
    return {Then::kEnd};
  }

  // Sends a bookmark from time to time, so that a quiet watch knows a version that is not too old.
  bool mark_time(MonoTime now, ResponseStream& out) {
    if (!query_.bookmarks || now < next_bookmark_) return true;
    next_bookmark_ = now + kBookmarks;
    return out.write(bookmark(false));
  }

  Services& services_;
  const WatchedKind kind_;
  const WatchQuery query_;
  HeldToken token_;
  const k8s::Selector by_key_;
  const k8s::Selector by_text_;
  ListQuery present_;  // the page of what is there that comes next
  ToldPages told_;
  bool telling_present_;
  bool marked_ = false;
  int64_t at_;  // everything up to here was told
  events::TopicListener changed_;
  const MonoTime end_;
  MonoTime next_bookmark_;
  size_t decoded_ = 0;  // objects, in this step
  bool columns_told_ = false;
};

}  // namespace

Result<ListPlace> place_by_key(const ObjectChange& change) {
  return ListPlace{change.key.name_space, change.key.name};
}

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
  response.steps = std::make_shared<Watch>(call, kind, std::move(query));
  return response;
}

}  // namespace paddock::api
