#include "controller/workspaces/stored_bytes.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "common/base/percent.h"
#include "common/base/text.h"
#include "controller/workspaces/trees.h"
#include "controller/workspaces/visit_objects.h"

namespace paddock::workspaces {
namespace {

using Sizes = std::unordered_map<cas::Digest, int64_t>;

// The bytes that a file takes of a disk, however small it is.
constexpr int64_t kLeast = 4096;
constexpr size_t kMostFiles = 4'000'000;  // each is remembered
// Counting reads all that a namespace has.
constexpr Millis kCountEvery{10'000};

int64_t taken_by(int64_t size) { return std::max(size, kLeast); }

Error over_share(const std::string& name_space, const StoredBytes::Use& use, int64_t bytes) {
  return {Code::kTooLarge, "NAMESPACE_QUOTA_EXCEEDED",
          cat("namespace ", name_space, " may store ", format_bytes(use.share), " and has ",
              format_bytes(use.used), "; ", format_bytes(bytes),
              " more do not fit. Delete runs with artifacts, workspaces or volumes that are not "
              "needed, whose room comes back after blobs.keepUnused, or have the operator raise "
              "scheduling.quotas.",
              name_space, ".stored of the controller")};
}

// Trees are known by themselves: a file may have the bytes of one, and names nothing.
class Named {
 public:
  explicit Named(const cas::Blobs& blobs) : blobs_(blobs) {}
  void add_tree(const cas::Digest& root) {
    if (root.empty() || !trees_.insert(root).second) return;
    const auto tree = stored_tree(blobs_, root);
    if (!tree) return;  // a tree that is not here takes nothing
    if (const auto size = blobs_.size(root)) sizes[root] = *size;
    for (const contracts::TreeEntry& entry : tree->entries) sizes[entry.digest] = entry.size;
  }
  Sizes sizes;

 private:
  const cas::Blobs& blobs_;
  std::set<cas::Digest> trees_;
};

Result<std::set<std::string>> namespaces_of(store::Store& store) {
  std::set<std::string> out;
  const auto add = [&](const auto& each) { out.insert(each.metadata.name_space); };
  TRY(visit_objects<contracts::Workspace>(store, {}, Unreadable::kLeftOut, add));
  TRY(visit_objects<contracts::Volume>(store, {}, Unreadable::kLeftOut, add));
  TRY(visit_objects<contracts::Run>(store, {}, Unreadable::kLeftOut, add));
  return out;
}

}  // namespace

int64_t Shares::of(const std::string& name_space) const {
  const auto row = own.find(name_space);
  return row == own.end() ? usual : row->second;
}

Result<Sizes> named_sizes(store::Store& store, const cas::Blobs& blobs,
                          const std::string& name_space) {
  Named out(blobs);
  TRY(visit_objects<contracts::Workspace>(
      store, name_space, Unreadable::kLeftOut,
      [&](const auto& each) { out.add_tree(each.status.root); }));
  TRY(visit_objects<contracts::Volume>(store, name_space, Unreadable::kLeftOut,
                                       [&](const auto& volume) {
                                         for (const auto& each : volume.status.versions)
                                           out.add_tree(each.root);
                                       }));
  TRY(visit_objects<contracts::Run>(store, name_space, Unreadable::kLeftOut, [&](const auto& run) {
    for (const auto& each : run.status.artifacts) out.sizes[each.digest] = each.size;
    if (contracts::is_terminal(run.status.phase)) return;
    out.add_tree(run.status.workspace_root);
    for (const auto& each : run.status.volumes) out.add_tree(each.root);
  }));
  return std::move(out.sizes);
}

StoredBytes::Room::~Room() {
  all_.accounts_.with([&](Accounts& all) { all[name_space_].arriving -= bytes_; });
}

void StoredBytes::Room::keep(const cas::Digest& digest) {
  const File file{bytes_, all_.clock_.mono()};
  all_.accounts_.with([&](Accounts& all) { add(all[name_space_], digest, file); });
}

size_t StoredBytes::HashName::operator()(const Name& name) const {
  size_t out = 0;  // a digest is as good as a hash can be
  std::memcpy(&out, name.data(), sizeof out);
  return out;
}

StoredBytes::Name StoredBytes::name_of(const cas::Digest& digest) {
  Name out{};
  for (size_t i = 0; i < out.size() && 2 * i + 1 < digest.size(); ++i) {
    const int value = hex_value(digest[2 * i]) * 16 + hex_value(digest[2 * i + 1]);
    out[i] = static_cast<unsigned char>(value);
  }
  return out;
}

void StoredBytes::add(Account& account, const cas::Digest& digest, File file) {
  const auto [at, fresh] = account.files.try_emplace(name_of(digest), file);
  if (fresh) {
    account.bytes += file.bytes;
  } else {
    at->second.unnamed = file.unnamed;
  }
}

bool StoredBytes::reserve(const std::string& name_space, int64_t bytes) {
  return accounts_.with([&](Accounts& all) {
    Account& mine = all[name_space];
    const bool fits =
        bytes <= shares_.of(name_space) - mine.used() && mine.files.size() < kMostFiles;
    if (fits) mine.arriving += bytes;
    return fits;
  });
}

Result<std::unique_ptr<StoredBytes::Room>> StoredBytes::take(const std::string& name_space,
                                                             int64_t bytes) {
  const int64_t taken = taken_by(bytes);
  bool fits = reserve(name_space, taken);
  if (!fits) {
    TRY(count(name_space));
    fits = reserve(name_space, taken);
  }
  if (!fits) return over_share(name_space, use_of(name_space), taken);
  return std::make_unique<Room>(*this, name_space, taken);
}

std::shared_ptr<std::mutex> StoredBytes::counting(const std::string& name_space) {
  return accounts_.with([&](Accounts& all) { return all[name_space].counting; });
}

// Not too often: whoever is at its share keeps asking.
Status StoredBytes::count(const std::string& name_space) {
  const auto turn = counting(name_space);
  const std::lock_guard one(*turn);
  const auto last = accounts_.with([&](Accounts& all) { return all[name_space].counted; });
  if (last && clock_.mono() - *last < kCountEvery) return {};
  ASSIGN_OR_RETURN(const Sizes named, named_sizes(store_, blobs_, name_space));
  settle(name_space, named);
  return {};
}

// Not named, and gone; or kept for another namespace alone.
bool StoredBytes::is_over(const Name& name, const File& file, MonoTime now) const {
  if (!file.unnamed) return false;
  if (now - *file.unnamed > keep_) return true;
  return !blobs_.has(hex({reinterpret_cast<const char*>(name.data()), name.size()}));
}

// Sorts the files into those that are named now and those that are not. The disk is asked about the
// latter while no caller waits.
void StoredBytes::settle(const std::string& name_space, const Sizes& named) {
  const MonoTime now = clock_.mono();
  Files unnamed = take_over(name_space, named, now);
  std::erase_if(unnamed, [&](const auto& each) { return !is_over(each.first, each.second, now); });
  drop(name_space, unnamed);
}

StoredBytes::Files StoredBytes::take_over(const std::string& name_space, const Sizes& named,
                                          MonoTime now) {
  return accounts_.with([&](Accounts& all) {
    Account& mine = all[name_space];
    mine.counted = now;
    for (auto& [name, file] : mine.files)
      if (!file.unnamed) file.unnamed = now;
    for (const auto& [digest, size] : named) add(mine, digest, {taken_by(size), std::nullopt});
    Files out;
    for (const auto& each : mine.files)
      if (each.second.unnamed) out.insert(each);
    return out;
  });
}

// But for what was sent again meanwhile.
void StoredBytes::drop(const std::string& name_space, const Files& over) {
  accounts_.with([&](Accounts& all) {
    Account& mine = all[name_space];
    for (const auto& [name, file] : over) {
      const auto at = mine.files.find(name);
      if (at == mine.files.end() || at->second.unnamed != file.unnamed) continue;
      mine.bytes -= at->second.bytes;
      mine.files.erase(at);
    }
  });
}

Status StoredBytes::count_all() {
  ASSIGN_OR_RETURN(std::set<std::string> all, namespaces_of(store_));
  for (auto& each : uses()) all.insert(each.first);
  for (const std::string& each : all) {
    const auto turn = counting(each);
    const std::lock_guard one(*turn);
    ASSIGN_OR_RETURN(const Sizes named, named_sizes(store_, blobs_, each));
    settle(each, named);
  }
  return {};
}

StoredBytes::Use StoredBytes::use_of(const std::string& name_space) const {
  return accounts_.with([&](const Accounts& all) {
    const auto found = all.find(name_space);
    return Use{found == all.end() ? 0 : found->second.used(), shares_.of(name_space)};
  });
}

std::map<std::string, StoredBytes::Use> StoredBytes::uses() const {
  return accounts_.with([&](const Accounts& all) {
    std::map<std::string, Use> out;
    for (const auto& [name, account] : all) {
      if (account.used() > 0) out[name] = {account.used(), shares_.of(name)};
    }
    return out;
  });
}

}  // namespace paddock::workspaces
