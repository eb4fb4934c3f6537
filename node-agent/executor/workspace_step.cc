// The step of RunLife that brings the workspace here, and how its files are opened.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "common/cas/tree.h"
#include "common/contracts/tree_path.h"
#include "common/os/file.h"
#include "common/os/overlay.h"
#include "common/wire/json.h"
#include "node-agent/executor/phase_timing.h"
#include "node-agent/executor/run_life.h"
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
// What hardly counts is not asked about: most runs bring no more.
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

std::string RunLife::TreeNews::text() const {
  return cat(files_and_bytes(files, bytes), " (",
             cached ? "cached here" : cat(fetched, fetched == 1 ? " blob" : " blobs", " fetched"),
             ")");
}

std::optional<workspace::Owner> RunLife::owner() const {
  const auto& uid = ports_.config.sandbox_uid;
  return uid ? std::optional(workspace::Owner{*uid, *uid}) : std::nullopt;
}

bool SmallTree::holds(const contracts::Tree& tree) const {
  int64_t all = 0;
  for (const contracts::TreeEntry& entry : tree.entries) all += entry.size;
  return tree.entries.size() <= files && all <= bytes;
}

// What is in the cache is laid: it is large, or a volume too.
Status RunLife::fetch_workspace() {
  PhaseTiming timing(ports_.clock, record_.timings_ms["workspace"]);
  TRY(os::remove_tree(folder_.workspace()));
  TRY(os::remove_tree(folder_.layer_work()));
  const TreeSource source = workspace_source();
  TreeNews news;
  record_.layered = find_cached(source, news);
  if (!record_.layered) {
    ASSIGN_OR_RETURN(const contracts::Tree tree, fetch_tree(source));
    record_.layered = ports_.trees != nullptr && !ports_.config.copied.holds(tree);
    TRY(record_.layered ? make_cached(source, tree, news)
                        : copy_tree(tree, folder_.workspace(), news,
                                    artifact_folders(workspace::taken_in(tree))));
  }
  if (record_.layered) TRY(lay_workspace());
  say(cat("workspace: ", news.text()));
  return {};
}

bool RunLife::find_cached(const TreeSource& source, TreeNews& news) {
  if (ports_.trees == nullptr || source.root.empty()) return false;
  const auto cached = ports_.trees->find(source.root);
  if (cached) news = {.files = cached->files, .bytes = cached->bytes, .fetched = 0, .cached = true};
  return cached.has_value();
}

// The tree in this node's cache, fetched and made if it is not there yet.
Status RunLife::cache_tree(const TreeSource& source, TreeNews& news) {
  if (find_cached(source, news)) return {};
  ASSIGN_OR_RETURN(const contracts::Tree tree, fetch_tree(source));
  return make_cached(source, tree, news);
}

Status RunLife::make_cached(const TreeSource& source, const contracts::Tree& tree, TreeNews& news) {
  return with_blobs(ports_.trees->files_of(source.root), tree, news, [&]() -> Status {
    ASSIGN_OR_RETURN(const workspace::CachedTree made,
                     ports_.trees->make(source.root, tree, ports_.store,
                                        [this] { return stop_.at_least(StopKind::kCancel); }));
    news.files = made.files;
    news.bytes = made.bytes;
    return {};
  });
}

// A folder of its own with the tree's files.
Status RunLife::copy_tree(const contracts::Tree& tree, const std::string& to, TreeNews& news,
                          const workspace::Folders& more) {
  return with_blobs(to, tree, news, [&]() -> Status {
    TRY(os::remove_tree(to));
    ASSIGN_OR_RETURN(const workspace::Materialized done,
                     workspace::materialize(
                         tree, ports_.store, to, owner(),
                         [this] { return stop_.at_least(StopKind::kCancel); }, more));
    news.files = done.files;
    news.bytes = done.bytes;
    return {};
  });
}

// Two folders above the cached tree, however large it is.
Status RunLife::lay_workspace() {
  TRY(os::make_dirs(folder_.layer_work()));
  const auto taken = workspace::taken_below(ports_.trees->files_of(assignment_.workspace_root));
  return workspace::make_layer(folder_.workspace(), artifact_folders(taken), owner());
}

// The folders of results are there before the command, which need not make them.
workspace::Folders RunLife::artifact_folders(
    const std::function<bool(const std::string&)>& taken) const {
  std::vector<std::string> wanted;
  for (const std::string& each : assignment_.spec.artifacts.dirs) {
    std::string dir = artifacts::normalized_dir(each);
    if (dir != "." && contracts::tree_path_fault(dir).empty()) wanted.push_back(std::move(dir));
  }
  return workspace::free_folders(wanted, taken);
}

// Calls `use` once all the tree's blobs are here.
Status RunLife::with_blobs(const std::string& what, const contracts::Tree& tree, TreeNews& news,
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
Result<std::optional<devices::DiskLedger::Hold>> RunLife::take_room(const std::string& what,
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

Status RunLife::fetch_blobs(const Missing& missing, TreeNews& news) {
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  Guarded<Status> status;
  const auto lane = [&] {
    const auto controller = transport(StopKind::kCancel);
    for (size_t i = next++; i < missing.size() && !failed; i = next++) {
      Status fetched = stop_.at_least(StopKind::kCancel)
                           ? Status(interrupted_error())
                           : controller->fetch_blob(assignment_.run_uid, missing[i]->digest,
                                                    missing[i]->size, ports_.store);
      if (fetched.ok()) continue;
      failed = true;
      status.with([&](Status& first) {
        if (first.ok()) first = std::move(fetched).within(cat("fetching ", missing[i]->path));
      });
    }
  };
  const std::vector<std::function<void()>> lanes(std::min(kLanes, missing.size()), lane);
  if (ports_.parallel) {
    ports_.parallel(lanes);
  } else if (!lanes.empty()) {
    lane();
  }
  TRY(status.with([](Status& first) { return first; }));
  news.fetched += static_cast<int64_t>(missing.size());
  return {};
}

// The tree's canonical text is a blob like any other: fetched once, proven by its digest.
// Of no workspace: an empty one.
Result<contracts::Tree> RunLife::fetch_tree(const TreeSource& source, StopKind give_up) {
  const std::string& root = source.root;
  if (root.empty()) return contracts::Tree();
  if (contracts::is_digest(root) && ports_.store.use(root)) {
    ASSIGN_OR_RETURN(const std::string text, ports_.store.read(root, kMaxTreeBytes));
    ASSIGN_OR_RETURN(const wire::Value document,
                     wire::parse_json(text, {.max_bytes = kMaxTreeBytes}));
    return wire::decode<contracts::Tree>(document);
  }
  const auto controller = transport(give_up);
  ASSIGN_OR_RETURN(contracts::Tree tree,
                   controller->fetch_tree(assignment_.run_uid, source.volume));
  if (cas::tree_root(tree) != root) {
    return Error{Code::kInternal, "TREE_MISMATCH",
                 "the controller sent another tree than the run's"};
  }
  TRY(ports_.store.put(cas::canonical_tree(tree)));
  return tree;
}

contracts::LaunchMount RunLife::workspace_mount() const {
  contracts::LaunchMount mount{folder_.workspace(), std::string(contracts::kSandboxWorkspace),
                               contracts::MountMode::kReadWrite};
  if (record_.layered) {
    mount.lower_path = ports_.trees->files_of(assignment_.workspace_root);
    mount.work_path = folder_.layer_work();
  }
  return mount;
}

// The files as they came, before the command; as it left them, afterwards.
Result<os::Fd> RunLife::open_workspace() const {
  if (!record_.layered) return os::open_root(folder_.workspace());
  if (ports_.trees == nullptr) {
    return Error{Code::kFailedPrecondition, "LAYERS_UNAVAILABLE",
                 "this host cannot show the run's workspace any more"};
  }
  return os::mount_layers(
      {ports_.trees->files_of(assignment_.workspace_root), folder_.workspace(), ""});
}

}  // namespace paddock::executor
