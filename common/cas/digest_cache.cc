#include "common/cas/digest_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/file_times.h"

namespace paddock::cas {
namespace {

// Of 1 may be digests of private keys, which are not remembered since.
constexpr std::string_view kHeader = "paddock digests 2";
constexpr int64_t kRacyNs = 2'000'000'000;
constexpr size_t kMaxBytes = size_t{64} << 20;

int64_t nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// The time that the filesystem would stamp on a file that is changed now.
std::optional<int64_t> filesystem_now(const std::string& beside) {
  const std::string path = cat(beside, ".", ::getpid(), ".now");
  const os::Fd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return std::nullopt;
  struct stat info = {};
  const bool known = ::fstat(fd.get(), &info) == 0;
  ::unlink(path.c_str());
  if (!known) return std::nullopt;
  return nanoseconds(os::changed_at(info));
}

}  // namespace

DigestCache::DigestCache(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  if (const std::optional<int64_t> now = filesystem_now(path_)) trusted_before_ns_ = *now - kRacyNs;
  load();
}

std::optional<std::pair<DigestCache::Key, DigestCache::Entry>> DigestCache::parse_line(
    std::string_view line) {
  const std::vector<std::string> fields = split(line, ' ');
  if (fields.size() != 6 || !contracts::is_digest(fields[5])) return std::nullopt;
  const auto device = parse_integer<uint64_t>(fields[0]);
  const auto inode = parse_integer<uint64_t>(fields[1]);
  const auto size = parse_integer<int64_t>(fields[2]);
  const auto changed = parse_integer<int64_t>(fields[3]);
  const auto modified = parse_integer<int64_t>(fields[4]);
  if (!device || !inode || !size || !changed || !modified) return std::nullopt;
  return std::pair{Key{*device, *inode}, Entry{*size, *changed, *modified, fields[5]}};
}

DigestCache::Entry DigestCache::describe(const struct stat& file) {
  return {int64_t{file.st_size},
          nanoseconds(os::changed_at(file)),
          nanoseconds(os::modified_at(file)),
          {}};
}

void DigestCache::load() {
  const Result<std::string> text = os::read_file(path_, kMaxBytes);
  if (!text) return;
  std::string_view rest = *text;
  bool first = true;
  while (!rest.empty()) {
    const size_t newline = rest.find('\n');
    const std::string_view line = rest.substr(0, newline);
    rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
    auto entry = first ? std::nullopt : parse_line(line);
    if (first ? line != kHeader : !entry.has_value()) {
      entries_.clear();
      changed_ = true;
      return;
    }
    if (entry) entries_.insert(std::move(*entry));
    first = false;
  }
}

std::optional<contracts::Digest> DigestCache::find(const struct stat& file) {
  const auto found = entries_.find({file.st_dev, file.st_ino});
  if (found == entries_.end()) return std::nullopt;
  const Entry now = describe(file);
  Entry& known = found->second;
  if (known.size != now.size || known.changed_ns != now.changed_ns ||
      known.modified_ns != now.modified_ns) {
    return std::nullopt;
  }
  known.used = true;
  return known.digest;
}

void DigestCache::remember(const struct stat& file, const contracts::Digest& digest) {
  Entry entry = describe(file);
  if (entry.changed_ns >= trusted_before_ns_ || entry.modified_ns >= trusted_before_ns_) return;
  entry.digest = digest;
  entry.used = true;
  entries_[{file.st_dev, file.st_ino}] = std::move(entry);
  changed_ = true;
}

void DigestCache::save() {
  if (path_.empty()) return;
  std::string text = cat(kHeader, "\n");
  for (const auto& [key, entry] : entries_) {
    if (!entry.used) {
      changed_ = true;
      continue;
    }
    text += cat(key.first, " ", key.second, " ", entry.size, " ", entry.changed_ns, " ",
                entry.modified_ns, " ", entry.digest, "\n");
  }
  if (changed_) (void)os::write_file_atomic(path_, text, 0600);
  changed_ = false;
}

}  // namespace paddock::cas
