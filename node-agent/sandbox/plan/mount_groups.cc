#include "node-agent/sandbox/plan/mount_groups.h"

#include <algorithm>
#include <set>

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

// These tables are long and compared for every run: nothing is copied.
using Entries = std::vector<const MountEntry*>;

Entries within(const std::vector<MountEntry>& table, std::string_view folder) {
  Entries out;
  for (const MountEntry& entry : table) {
    if (top_folder(entry) == folder) out.push_back(&entry);
  }
  return out;
}

bool same(const MountEntry* a, const MountEntry* b) { return *a == *b; }

bool same_but_for_size(const MountEntry* a, const MountEntry& b) {
  if (a->kind != Kind::kScratch) return *a == b;
  MountEntry sized = b;
  sized.bytes = a->bytes;
  sized.files = a->files;
  return *a == sized;
}

}  // namespace

std::string_view top_folder(const MountEntry& entry) {
  return std::string_view(entry.target).substr(0, entry.target.find('/', 1));
}

std::optional<std::vector<MountEntry>> beyond(const std::vector<MountEntry>& table,
                                              const std::vector<MountEntry>& common) {
  std::set<std::string_view> folders;
  for (const MountEntry& entry : common) folders.insert(top_folder(entry));
  Entries shared;
  std::vector<MountEntry> rest;
  for (const MountEntry& entry : table) {
    if (folders.contains(top_folder(entry))) {
      shared.push_back(&entry);
    } else {
      rest.push_back(entry);
    }
  }
  if (!std::ranges::equal(shared, common, same_but_for_size)) return std::nullopt;
  for (size_t i = 0; i < shared.size(); ++i) {
    if (*shared[i] != common[i]) rest.insert(rest.begin(), *shared[i]);
  }
  return rest;
}

std::vector<std::string> same_folders(const std::vector<MountEntry>& table,
                                      const std::vector<MountEntry>& common) {
  std::vector<std::string> out;
  for (const MountEntry& entry : common) {
    const std::string folder(top_folder(entry));
    const bool is_own = entry.target == folder && entry.kind != Kind::kSystem;
    if (is_own || std::ranges::count(out, folder) > 0) continue;
    if (std::ranges::equal(within(table, folder), within(common, folder), same))
      out.push_back(folder);
  }
  return out;
}

}  // namespace paddock::sandbox
