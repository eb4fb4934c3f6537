// Reading a project folder into a tree: what belongs to it (scan_collector.h), then its digests,
// and what turns out to be a key.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/text.h"
#include "common/cas/digest_cache.h"
#include "common/cas/private_key.h"
#include "common/cas/scan_collector.h"
#include "common/cas/tree.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/os/file_times.h"

namespace paddock::cas {
namespace {

constexpr int kReadTries = 3;

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool same_version(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && same_time(os::modified_at(a), os::modified_at(b)) &&
         same_time(os::changed_at(a), os::changed_at(b));
}

struct Read {
  Digest digest;
  bool whole = true;  // no version of the file: the beginning of one that grows
  bool key = false;   // a private one
};

// Looks at the first bytes of a small file, which are read for the digest anyway.
Result<bool> is_private_key(const os::RegularFile& file) {
  if (file.stat.st_size > kMostKeyBytes) return false;
  std::string text(std::min<size_t>(kKeyBeginning, static_cast<size_t>(file.stat.st_size)), '\0');
  const ssize_t size = ::pread(file.fd.get(), text.data(), text.size(), 0);
  if (size < 0) return system_error("reading a file", errno);
  return begins_with_private_key(std::string_view(text).substr(0, static_cast<size_t>(size)));
}

// Removed since the walk, or something else has its name.
bool is_another_now(const Error& error) {
  return error.code == Code::kNotFound || error.reason == "LINK_IN_PATH" ||
         error.reason == "PATH_OUTSIDE_ROOT" || error.reason == "NOT_A_REGULAR_FILE";
}

// The digest of a file that did not change while it was read, or of what a growing one had when it
// was opened; `file.stat` says how much. Nothing: it changed again and again, or is gone.
Result<std::optional<Read>> read_digest(int root, Found& file) {
  for (int i = 0; i < kReadTries; ++i) {
    const Result<os::RegularFile> opened = os::open_regular_file_beneath(root, file.path);
    if (!opened && is_another_now(opened.error())) return std::optional<Read>();
    if (!opened) return opened.error();
    file.stat = opened->stat;
    ASSIGN_OR_RETURN(const bool key, is_private_key(*opened));
    ASSIGN_OR_RETURN(Digest digest, crypto::sha256_fd(opened->fd.get(), opened->stat.st_size));
    struct stat now = {};
    if (::fstat(opened->fd.get(), &now) != 0) return system_error("reading a file", errno);
    if (same_version(opened->stat, now)) return std::optional(Read{std::move(digest), true, key});
    if (now.st_size > opened->stat.st_size)
      return std::optional(Read{std::move(digest), false, key});
  }
  return std::optional<Read>();
}

// Reads the tree for one scan.
class Reader {
 public:
  Reader(int root, const ScanLimits& limits, ScanCollector& collector)
      : root_(root), limits_(limits), collector_(collector), cache_(limits.cache_path) {}

  Result<Scan> read() {
    for (Found& file : collector_.files()) TRY(add(file));
    cache_.save();
    if (!keys_.empty()) collector_.leave_out_links_to(keys_);
    scan_.tree.links = std::move(collector_.links());
    scan_.tree.folders = empty_folders(
        without_made(collector_.folders(), limits_.returned_folders, scan_.tree), scan_.tree);
    collector_.move_left_out(scan_);
    return std::move(scan_);
  }

 private:
  Status add(Found& file) {
    std::optional<Digest> digest = cache_.find(file.stat);
    if (!digest) {
      ASSIGN_OR_RETURN(std::optional<Read> read, read_digest(root_, file));
      if (!read) {
        collector_.leave_out(file.path, "FILE_CHANGED", "it changed or went while it was read");
        return {};
      }
      if (read->key && !collector_.named(file.path)) {
        collector_.leave_out_key(file.path);
        keys_.insert(file.path);
        return {};
      }
      // A key is not remembered: what is in the cache goes up without a look into it.
      if (read->whole && !read->key) cache_.remember(file.stat, read->digest);
      scan_.hashed_bytes += file.stat.st_size;
      digest = std::move(read->digest);
    }
    const auto came = limits_.returned.find(file.path);
    if (came != limits_.returned.end() && came->second.digest == *digest &&
        !collector_.asked_for(file.path)) {
      collector_.leave_out(file.path, "CAME_BACK",
                           cat("came back from run ", came->second.run, "; a line !", file.path,
                               " in .paddockignore sends it"));
      return {};
    }
    scan_.bytes += file.stat.st_size;
    scan_.tree.entries.push_back({file.path, std::move(*digest), int64_t{file.stat.st_size},
                                  (file.stat.st_mode & S_IXUSR) != 0});
    return {};
  }

  const int root_;
  const ScanLimits& limits_;
  ScanCollector& collector_;
  DigestCache cache_;
  Scan scan_;
  std::set<std::string> keys_;  // left out
};

}  // namespace

Result<Scan> scan_folder(const std::string& folder, const ScanLimits& limits) {
  ASSIGN_OR_RETURN(const os::Fd root, os::open_root(folder));
  ScanCollector collector(root.get(), limits);
  TRY(collector.collect());
  return Reader(root.get(), limits, collector).read();
}

Result<Scan> left_out_of_folder(const std::string& folder) {
  ASSIGN_OR_RETURN(const os::Fd root, os::open_root(folder));
  const ScanLimits limits;
  ScanCollector collector(root.get(), limits);
  TRY(collector.collect());
  std::set<std::string> keys;
  for (const Found& file : collector.files()) {
    if (file.stat.st_size > kMostKeyBytes || collector.named(file.path)) continue;
    const Result<os::RegularFile> opened = os::open_regular_file_beneath(root.get(), file.path);
    if (!opened) continue;  // whoever sends it says why
    ASSIGN_OR_RETURN(const bool key, is_private_key(*opened));
    if (!key) continue;
    collector.leave_out_key(file.path);
    keys.insert(file.path);
  }
  if (!keys.empty()) collector.leave_out_links_to(keys);
  Scan scan;
  collector.move_left_out(scan);
  return scan;
}

size_t worth_telling(const Scan& scan) {
  constexpr size_t kFew = 5;
  constexpr size_t kMostSecrets = 20;
  return std::min(scan.left_out.size(), std::clamp(scan.secrets, kFew, kMostSecrets));
}

}  // namespace paddock::cas
