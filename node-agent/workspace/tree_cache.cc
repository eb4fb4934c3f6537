#include "node-agent/workspace/tree_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/file_times.h"
#include "common/os/overlay.h"
#include "common/os/process.h"

namespace paddock::workspace {
namespace {

constexpr Millis kLook{200};
constexpr const char* kAside = ".new-";

// Tries what every run will need, on the same file system.
Status try_layers(const std::string& dir) {
  const std::string folder = os::join_path(dir, cat(kAside, "probe"));
  TRY(os::remove_tree(folder));
  os::Layers layers{folder + "/lower", folder + "/upper", folder + "/work"};
  for (const std::string& each : {layers.lower, layers.upper, layers.work})
    TRY(os::make_dirs(each));
  Result<os::Fd> mount = os::mount_layers(layers);
  layers.work.clear();
  if (mount.ok()) mount = os::mount_layers(layers);
  const Status removed = os::remove_tree(folder);
  if (mount.ok()) return removed;
  return Error{Code::kFailedPrecondition, "LAYERS_UNAVAILABLE", mount.error().message};
}

Status remove_all(const std::string& dir, bool only_asides) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, os::list_dir(dir));
  for (const std::string& name : names) {
    if (!only_asides || name.starts_with(kAside)) TRY(os::remove_tree(os::join_path(dir, name)));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<TreeCache>> TreeCache::open(const std::string& dir,
                                                   std::optional<Owner> owner) {
  TRY(os::make_dirs(dir));
  const auto self = os::identify(::getpid());
  const std::string boot = self ? self->boot_id : "";
  const std::string boot_file = os::join_path(dir, "boot");
  const Result<std::string> before = os::read_file(boot_file);
  const bool same = before.ok() && !boot.empty() && *before == boot;
  TRY(remove_all(dir, same));
  TRY(try_layers(dir));
  if (!same) TRY(os::write_file_atomic(boot_file, boot));
  return std::unique_ptr<TreeCache>(new TreeCache(dir, owner));
}

TreeCache::Pin::Pin(TreeCache& cache, std::string root) : cache_(cache), root_(std::move(root)) {
  cache_.state_.with([&](State& state) { ++state.pins[root_]; });
}

TreeCache::Pin::~Pin() {
  cache_.state_.with([&](State& state) {
    if (--state.pins[root_] == 0) state.pins.erase(root_);
  });
}

std::string TreeCache::files_of(const std::string& root) const {
  return os::join_path(os::join_path(dir_, root), "files");
}

std::optional<CachedTree> TreeCache::read_info(const std::string& root) const {
  const std::string path = os::join_path(os::join_path(dir_, root), "info");
  struct stat info = {};
  const Result<std::string> text = os::read_file(path);
  if (!text.ok() || ::stat(path.c_str(), &info) != 0) return std::nullopt;
  const std::vector<std::string> numbers = split(*text, ' ');
  if (numbers.size() != 2) return std::nullopt;
  const auto files = parse_integer<int64_t>(numbers[0]);
  const auto bytes = parse_integer<int64_t>(numbers[1]);
  if (!files || !bytes) return std::nullopt;
  return CachedTree{root, *files, *bytes, int64_t{os::modified_at(info).tv_sec}};
}

std::optional<CachedTree> TreeCache::find(const std::string& root) {
  if (!contracts::is_digest(root)) return std::nullopt;
  std::optional<CachedTree> found = read_info(root);
  if (found) {
    const std::string path = os::join_path(os::join_path(dir_, root), "info");
    (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // at worst it is pruned sooner
  }
  return found;
}

Result<CachedTree> TreeCache::make(const std::string& root, const contracts::Tree& tree,
                                   const cas::BlobStore& store,
                                   const std::function<bool()>& interrupted,
                                   const Parallel& parallel) {
  if (!contracts::is_digest(root)) return invalid_argument("BAD_DIGEST", "not a tree's root");
  while (!state_.wait_for(
      changed_, kLook, [&](State& state) { return !state.making.contains(root); },
      [&](State& state, bool free) {
        if (free) state.making.insert(root);
        return free;
      })) {
    if (interrupted()) return Error{Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
  }
  std::optional<CachedTree> found = find(root);
  Result<CachedTree> made =
      found ? Result<CachedTree>(*found) : fill(root, tree, store, interrupted, parallel);
  state_.with([&](State& state) { state.making.erase(root); });
  changed_.notify_all();
  return made;
}

Result<CachedTree> TreeCache::fill(const std::string& root, const contracts::Tree& tree,
                                   const cas::BlobStore& store,
                                   const std::function<bool()>& interrupted,
                                   const Parallel& parallel) {
  const std::string fresh = aside();
  TRY(os::make_dirs(fresh));
  const auto done =
      materialize(tree, store, os::join_path(fresh, "files"), owner_, interrupted, {}, parallel);
  Status whole = done.ok() ? Status() : Status(done.error());
  if (whole.ok()) {
    whole = os::write_file_atomic(os::join_path(fresh, "info"), cat(done->files, " ", done->bytes));
  }
  if (whole.ok() && ::rename(fresh.c_str(), os::join_path(dir_, root).c_str()) != 0)
    whole = system_error("keeping a tree", errno);
  if (!whole.ok()) {
    (void)os::remove_tree(fresh);  // tried again at the next start
    return whole.error();
  }
  return CachedTree{root, done->files, done->bytes, 0};
}

std::string TreeCache::aside() {
  const int64_t number = state_.with([](State& state) { return state.next++; });
  return os::join_path(dir_, cat(kAside, number));
}

std::vector<CachedTree> TreeCache::list() const {
  std::vector<CachedTree> out;
  const auto names = os::list_dir(dir_);
  if (!names.ok()) return out;
  for (const std::string& name : *names) {
    if (!contracts::is_digest(name)) continue;
    if (auto found = read_info(name)) out.push_back(std::move(*found));
  }
  return out;
}

// Put aside while nobody can pin it, removed when it has no name any more.
Result<bool> TreeCache::remove(const std::string& root) {
  if (!contracts::is_digest(root)) return invalid_argument("BAD_DIGEST", "not a tree's root");
  const std::string gone = aside();
  const Result<bool> moved = state_.with([&](State& state) -> Result<bool> {
    if (state.pins.contains(root) || state.making.contains(root)) return false;
    if (::rename(os::join_path(dir_, root).c_str(), gone.c_str()) != 0 && errno != ENOENT)
      return system_error("removing a tree", errno);
    return true;
  });
  if (!moved.ok() || !*moved) return moved;
  TRY(os::remove_tree(gone));
  return true;
}

}  // namespace paddock::workspace
