// Deleting every object of a collection that matches: DELETE with selectors, a part of them in one
// transaction at a time, each object by the rules of a single delete.
#pragma once

#include <set>

#include "controller/api/objects/deletes.h"
#include "controller/api/objects/objects.h"
#include "controller/api/server/write_behind_queue.h"

namespace paddock::api {

// What one request did.
struct Deletions {
  int64_t deleted = 0;              // or marked, and going once nothing holds them
  int64_t kept = 0;                 // that may not go now
  std::vector<Error> why;           // of the first of them, each with the object in its cause
  std::vector<std::string> unread;  // names of what stays since it could not be read
  std::set<std::string> warnings;   // of those that went
};

inline constexpr int64_t kDeletedAtOnce = 100;  // objects looked at in one transaction
// How many items the answer has at most, and how large their stored text is together; the rest is
// only counted.
inline constexpr size_t kDeletionsShown = 1000;
inline constexpr size_t kDeletionBytesShown = size_t{4} << 20;

// The selectors, and nothing that means a part of a collection. PARAMETER_INVALID, NAME_REQUIRED,
// INVALID_FIELD.
Result<ListQuery> parse_deletion(Call& call, const k8s::Labels& supported);
// Whether it only means that this object stays.
bool is_refusal(const Error& error);
void keep(Deletions& done, Error error, std::string_view plural, const std::string& name);
// What the answer warns of.
// `selects`: not all of the collection was meant.
std::vector<std::string> warnings_of(const Deletions& done, std::string_view plural, bool selects);
// Conflict, FailedPrecondition or PermissionDenied, as the first refused object says, once any was
// refused.
Status judge(const Deletions& done, bool dry_run);
Error cut_short(const Deletions& done);

template <class T>
struct Deletion {
  Deletions done;
  std::vector<T> objects;  // the first of those that were deleted
  size_t bytes = 0;        // of stored text that they were, about
};
void absorb(Deletions& all, Deletions part);

// An object that was listed, unless it is another one by now.
template <DeletableKind T, class View>
Status delete_listed(store::WriteTxn& txn, const Call& call, const ListQuery& query,
                     const DeleteOptions& options, const T& listed, Deletion<T>& out) {
  const store::Key key{listed.metadata.name_space, listed.metadata.name};
  ASSIGN_OR_RETURN(std::optional<T> live, txn.find_readable<T>(key));
  if (!live || live->metadata.uid != listed.metadata.uid) return {};
  KindTraits<T>::complete(call.services, *live);
  if (!matches<View>(query, *live)) return {};
  const Result<bool> erased = erase_found(txn, call, *live, options);
  if (!erased) {
    if (!is_refusal(erased.error())) return erased.error();
    keep(out.done, erased.error(), k8s::resource_of(T::kKind).plural, key.name);
    return {};
  }
  ++out.done.deleted;
  for (std::string& each : KindTraits<T>::deletion_warnings(*live, options))
    out.done.warnings.insert(std::move(each));
  out.objects.push_back(std::move(*live));
  return {};
}

// The next part of the collection. What is undone is not told.
template <DeletableKind T, class View>
Status delete_part(Call& call, const ListQuery& query, const DeleteOptions& options,
                   const store::Page<T>& listed, Deletion<T>& all) {
  Deletion<T> part;
  const Status written =
      free_or_try(call.services.store, options.dry_run, [&](store::WriteTxn& txn) -> Status {
        part = {};  // this may run twice
        for (const T& each : listed.items)
          TRY((delete_listed<T, View>(txn, call, query, options, each, part)));
        return {};
      });
  if (!written.ok()) return written;
  absorb(all.done, std::move(part.done));
  for (T& each : part.objects) {
    if (all.objects.size() >= kDeletionsShown || all.bytes >= kDeletionBytesShown) break;
    all.objects.push_back(std::move(each));
    all.bytes += listed.bytes / listed.items.size();
  }
  return {};
}

template <DeletableKind T, class View>
Result<store::Page<T>> next_matching(Call& call, const ListQuery& query, Deletions& done) {
  store::Page<T> page;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(page, txn.list<T>(query.options));
    return {};
  }));
  for (const store::Key& each : page.left_out) done.unread.push_back(each.name);
  std::erase_if(page.items, [&](T& each) {
    KindTraits<T>::complete(call.services, each);
    return !matches<View>(query, each);
  });
  return page;
}

template <DeletableKind T, class View = Itself<T>>
Result<Response> delete_collection(Call& call) {
  ASSIGN_OR_RETURN(ListQuery query, parse_deletion(call, View::fields(T{})));
  ASSIGN_OR_RETURN(const DeleteOptions options, read_delete_options(call.request, call.body));
  if (!options.dry_run)
    TRY(call.services.later->settle_freeing(call.services.store));  // what came before their end
  Deletion<T> all;
  ObjectPage<View> answer;
  do {
    if (call.request.client.gone()) return cut_short(all.done);
    ASSIGN_OR_RETURN(const store::Page<T> page, (next_matching<T, View>(call, query, all.done)));
    if (!page.items.empty()) TRY((delete_part<T, View>(call, query, options, page, all)));
    query.options.after = page.continue_after;
    answer.meta.resource_version = page.resource_version;
  } while (!query.options.after.empty());
  TRY(judge(all.done, options.dry_run));
  answer.meta.remaining = all.done.deleted - static_cast<int64_t>(all.objects.size());
  answer.items = std::move(all.objects);
  Response response = list_response(call, answer, query);
  const bool selects = !query.labels.empty() || !query.fields.empty();
  add_warnings(response, warnings_of(all.done, View::resource().plural, selects));
  return response;
}

}  // namespace paddock::api
