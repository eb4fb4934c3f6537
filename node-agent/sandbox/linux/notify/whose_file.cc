#include "node-agent/sandbox/linux/notify/whose_file.h"

#include <sys/stat.h>
#include <sys/vfs.h>

#include <optional>

namespace paddock::sandbox {
namespace {

// The kernel's numbers; not every linux/magic.h has all of them.
constexpr decltype(statfs::f_type) kNamespaces = 0x6e736673;  // one file for all in a namespace
constexpr decltype(statfs::f_type) kAnonymous = 0x09041934;   // one file for the whole host
constexpr decltype(statfs::f_flags) kReadOnly = 1;            // ST_RDONLY

// What decides who else meets at a file.
struct FileFacts {
  struct stat info {};
  struct statfs mount {};
};

std::optional<FileFacts> facts_of(const os::Fd& file) {
  FileFacts facts;
  if (fstat(file.get(), &facts.info) != 0 || fstatfs(file.get(), &facts.mount) != 0)
    return std::nullopt;
  return facts;
}

bool is_everybodys(const std::optional<FileFacts>& facts) {
  if (!facts) return true;
  const mode_t mode = facts->info.st_mode;
  return S_ISCHR(mode) || S_ISBLK(mode) || facts->mount.f_type == kAnonymous;
}

}  // namespace

bool is_everybodys(const os::Fd& file) { return is_everybodys(facts_of(file)); }

bool is_its_own(const os::Fd& file) {
  const auto facts = facts_of(file);
  return !is_everybodys(facts) && (facts->mount.f_flags & kReadOnly) == 0 &&
         facts->mount.f_type != kNamespaces;
}

}  // namespace paddock::sandbox
