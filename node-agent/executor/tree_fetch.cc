#include "node-agent/executor/tree_fetch.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "common/base/first_error.h"
#include "common/base/text.h"
#include "common/cas/bundle.h"
#include "common/cas/tree.h"
#include "common/os/file.h"
#include "common/wire/json.h"
#include "node-agent/executor/phase_timing.h"
#include "node-agent/executor/retrying_transport.h"
#include "node-agent/workspace/materialize.h"

namespace paddock::executor {
namespace {

constexpr size_t kMaxTreeBytes = 64 << 20;
constexpr size_t kLanes = 4;
constexpr int kTries = 3;  // a blob may be pruned between fetching and use, but not for ever

Error interrupted_error() {
  return {Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
}

constexpr int64_t kBlock = 4096;
// Trees smaller than this are not checked against the free room: most runs bring no more.
constexpr int64_t kLittle = 1 << 20;

int64_t taken_by(const contracts::TreeEntry& entry) {
  constexpr int64_t kMost = int64_t{1} << 50;  // a sum of a tree's entries is a number still
  return (std::clamp<int64_t>(entry.size, 1, kMost) + kBlock - 1) / kBlock * kBlock;
}

// The first entry of each blob that is not here.
std::vector<const contracts::TreeEntry*> missing_blobs(const contracts::Tree& tree,
                                                       const cas::BlobStore& store) {
  std::vector<const contracts::TreeEntry*> out;
  std::set<std::string_view> seen;
  for (const contracts::TreeEntry& entry : tree.entries) {
    if (seen.insert(entry.digest).second && !store.use(entry.digest)) out.push_back(&entry);
  }
  return out;
}

}  // namespace

std::unique_ptr<RunTransport> TreeFetch::transport(StopKind give_up) const {
  return std::make_unique<RetryingTransport>(ports_.transport(), stop_, give_up, ports_.random);
}

std::string TreeNews::text() const {
  return cat(files_and_bytes(files, bytes), " (",
             cached ? "cached here" : cat(fetched, fetched == 1 ? " blob" : " blobs", " fetched"),
             ")");
}

std::optional<workspace::Owner> TreeFetch::owner() const {
  const auto& uid = ports_.config.sandbox_uid;
  return uid ? std::optional(workspace::Owner{*uid, *uid}) : std::nullopt;
}

bool SmallTree::holds(const contracts::Tree& tree) const {
  int64_t all = 0;
  for (const contracts::TreeEntry& entry : tree.entries) all += entry.size;
  return tree.entries.size() <= files && all <= bytes;
}

bool TreeFetch::find_cached(const TreeSource& source, TreeNews& news) const {
  if (ports_.trees == nullptr || source.root.empty()) return false;
  const auto cached = ports_.trees->find(source.root);
  if (cached) news = {.files = cached->files, .bytes = cached->bytes, .fetched = 0, .cached = true};
  return cached.has_value();
}

Status TreeFetch::cache(const TreeSource& source, TreeNews& news) {
  if (find_cached(source, news)) return {};
  ASSIGN_OR_RETURN(const contracts::Tree tree, fetch(source));
  return make_cached(source, tree, news);
}

Status TreeFetch::make_cached(const TreeSource& source, const contracts::Tree& tree,
                              TreeNews& news) {
  return with_blobs(ports_.trees->files_of(source.root), tree, news, [&]() -> Status {
    ASSIGN_OR_RETURN(const workspace::CachedTree made,
                     ports_.trees->make(
                         source.root, tree, ports_.store,
                         [this] { return stop_.at_least(StopKind::kCancel); }, ports_.parallel));
    news.files = made.files;
    news.bytes = made.bytes;
    return {};
  });
}

Status TreeFetch::copy(const contracts::Tree& tree, const std::string& to, TreeNews& news,
                       const workspace::Folders& more) {
  return with_blobs(to, tree, news, [&]() -> Status {
    TRY(os::remove_tree(to));
    ASSIGN_OR_RETURN(
        const workspace::Materialized done,
        workspace::materialize(
            tree, ports_.store, to, owner(), [this] { return stop_.at_least(StopKind::kCancel); },
            more, ports_.parallel));
    news.files = done.files;
    news.bytes = done.bytes;
    return {};
  });
}

// Calls `use` once all the tree's blobs are here.
Status TreeFetch::with_blobs(const std::string& what, const contracts::Tree& tree, TreeNews& news,
                             const std::function<Status()>& use) {
  for (int i = 1;; ++i) {
    const Missing missing = missing_blobs(tree, ports_.store);
    ASSIGN_OR_RETURN(const auto room, take_room(what, tree, missing));
    TRY(fetch_blobs(missing, news));
    Status used = use();
    if (used.ok() || used.error().reason != "BLOB_NOT_FOUND" || i == kTries) return used;
  }
}

// Before anything comes: so a run with files that have no room here costs this node nothing, and
// others their places.
Result<std::optional<devices::DiskLedger::Hold>> TreeFetch::take_room(const std::string& what,
                                                                      const contracts::Tree& tree,
                                                                      const Missing& missing) {
  std::optional<devices::DiskLedger::Hold> room;
  int64_t bytes = 0;
  for (const contracts::TreeEntry& each : tree.entries) bytes += taken_by(each);
  for (const contracts::TreeEntry* each : missing) bytes += taken_by(*each);
  if (ports_.disk == nullptr || bytes < kLittle) return room;
  const auto files = static_cast<int64_t>(tree.entries.size() + missing.size());
  auto taken = ports_.disk->take(what, bytes, files);
  if (!taken) {
    no_room_for_ = bytes;
    return std::move(taken).error();
  }
  room.emplace(std::move(*taken));
  return room;
}

// Small ones many at a time. An answer that brought not all of its bundle is no fault of the run's:
// what is missing is asked for alone, and that answer says why.
Status TreeFetch::fetch_blobs(const Missing& missing, TreeNews& news) {
  std::vector<Missing> bundles = cas::as_bundles(missing);
  std::atomic<size_t> next{0};
  std::atomic<bool> bundled{true};  // the controller knows how
  FirstError first_error;
  const auto lane = [&] {
    const auto controller = transport(StopKind::kCancel);
    for (size_t i = next++; i < bundles.size() && !first_error.failed(); i = next++) {
      Missing& rest = bundles[i];
      if (rest.size() > 1 && bundled)
        bundled = controller->fetch_bundle(run_uid_, rest, ports_.store).ok();
      for (const contracts::TreeEntry* blob : rest) {
        if (first_error.failed() || ports_.store.has(blob->digest)) continue;
        first_error.keep(fetch_one(*controller, *blob).within(cat("fetching ", blob->path)));
      }
    }
  };
  const std::vector<std::function<void()>> lanes(std::min(kLanes, bundles.size()), lane);
  if (ports_.parallel) {
    ports_.parallel(lanes);
  } else if (!lanes.empty()) {
    lane();
  }
  TRY(first_error.status());
  news.fetched += static_cast<int64_t>(missing.size());
  return {};
}

Status TreeFetch::fetch_one(RunTransport& controller, const contracts::TreeEntry& blob) {
  if (stop_.at_least(StopKind::kCancel)) return interrupted_error();
  return controller.fetch_blob(run_uid_, blob.digest, blob.size, ports_.store);
}

// The tree's canonical text is a blob like any other: fetched once, proven by its digest.
// Without a workspace, the tree is empty.
Result<contracts::Tree> TreeFetch::fetch(const TreeSource& source, StopKind give_up) {
  const std::string& root = source.root;
  if (root.empty()) return contracts::Tree();
  if (contracts::is_digest(root) && ports_.store.use(root)) {
    ASSIGN_OR_RETURN(const std::string text, ports_.store.read(root, kMaxTreeBytes));
    ASSIGN_OR_RETURN(const wire::Value document,
                     wire::parse_json(text, {.max_bytes = kMaxTreeBytes}));
    return wire::decode<contracts::Tree>(document);
  }
  const auto controller = transport(give_up);
  ASSIGN_OR_RETURN(contracts::Tree tree, controller->fetch_tree(run_uid_, source.volume));
  if (cas::tree_root(tree) != root) {
    return Error{Code::kInternal, "TREE_MISMATCH",
                 "the controller sent another tree than the run's"};
  }
  TRY(ports_.store.put(cas::canonical_tree(tree)));
  return tree;
}

}  // namespace paddock::executor
