// Reading a project folder into a tree: what belongs to it, whether all of it is acceptable, and
// only then its digests.
#include <sys/stat.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/cas/digest_cache.h"
#include "common/cas/ignore.h"
#include "common/cas/tree.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/os/file_times.h"

namespace paddock::cas {
namespace {

constexpr size_t kMaxIgnoreBytes = 1 << 20;
constexpr size_t kMaxCauses = 20;
constexpr int kReadTries = 3;

struct Found {
  std::string path;
  struct stat stat;  // of the file behind a link
  bool is_link = false;
};

// What does not change while scanning, and what comes of it.
// Missing, or a link or folder of that name. One that cannot be read may name what must not leave.
bool is_no_rule_file(const Error& error) {
  return error.code == Code::kNotFound || error.reason == "LINK_IN_PATH" ||
         error.reason == "NOT_A_REGULAR_FILE";
}

class Collector {
 public:
  Collector(int root, const ScanLimits& limits) : root_(root), limits_(limits) {
    std::vector<IgnoreRule> built_in =
        parse_ignore_rules(".git/\n__pycache__/\nnode_modules/\n.venv/\n", "built-in");
    for (IgnoreRule& rule : built_in) rule.source = cat("built-in: ", rule.pattern, "/");
    rules_.add("", std::move(built_in));
  }

  Status collect() {
    TRY(read_rules(""));
    Status failure;
    TRY(os::walk(root_, [&](const os::WalkEntry& entry) {
      if (!failure.ok() || over_limit()) return false;
      return visit(entry, failure);
    }));
    TRY(std::move(failure));
    if (over_limit()) return too_large();
    return refused();
  }

  std::vector<Found>& found() { return found_; }
  std::vector<contracts::LeftOut>& left_out() { return left_out_; }
  int64_t bytes() const { return bytes_; }

 private:
  bool visit(const os::WalkEntry& entry, Status& failure) {
    const bool is_folder = S_ISDIR(entry.stat.st_mode);
    if (const IgnoreRule* rule = rules_.excluded_by(entry.path, is_folder)) {
      left_out_.push_back(
          {to_utf8_lossy(is_folder ? cat(entry.path, "/") : entry.path), rule->source});
      return false;
    }
    if (is_folder) {
      failure = read_rules(entry.path);
    } else if (S_ISREG(entry.stat.st_mode)) {
      accept({entry.path, entry.stat, false});
    } else if (S_ISLNK(entry.stat.st_mode)) {
      accept_link(entry.path);
    } else {
      refuse(entry.path, "is a device, a FIFO or a socket; name it in .paddockignore or remove it");
    }
    return failure.ok();
  }

  Status read_rules(const std::string& folder) {
    for (const char* name : {".gitignore", ".paddockignore"}) {
      const std::string path = os::join_path(folder, name);
      const Result<os::Fd> file = os::open_regular_beneath(root_, path);
      if (!file && !is_no_rule_file(file.error())) return file.error();
      if (!file) continue;
      ASSIGN_OR_RETURN(const std::string text,
                       os::read_all(file->get(), kMaxIgnoreBytes).within(path));
      rules_.add(folder, parse_ignore_rules(text, path));
    }
    return {};
  }

  void accept(Found file) {
    bytes_ += file.stat.st_size;
    found_.push_back(std::move(file));
  }

  void accept_link(const std::string& path) {
    const Result<os::RegularFile> target = os::open_linked_file_beneath(root_, path);
    if (target) return accept({path, target->stat, true});
    const std::string& reason = target.error().reason;
    if (reason == "PATH_OUTSIDE_ROOT") return refuse(path, "is a link that leaves the folder");
    if (reason == "NOT_A_REGULAR_FILE")
      return refuse(path, "is a link to something that is not a file");
    refuse(path, "is a link to nothing that can be read");
  }

  void refuse(const std::string& path, std::string why) {
    if (causes_.size() < kMaxCauses) causes_.push_back({to_utf8_lossy(path), std::move(why)});
  }

  bool over_limit() const {
    return std::cmp_greater(found_.size(), limits_.max_files) || bytes_ > limits_.max_bytes;
  }
  Error too_large() const {
    return {Code::kTooLarge, "WORKSPACE_TOO_LARGE",
            cat("the folder holds more than ", limits_.max_files, " files or ",
                format_bytes(limits_.max_bytes), "; leave some out in .paddockignore")};
  }

  // The rules of the wire, before anything is read: names, case collisions, depth.
  Status refused() {
    std::sort(found_.begin(), found_.end(),
              [](const Found& a, const Found& b) { return a.path < b.path; });
    contracts::Tree names;
    for (const Found& file : found_) names.entries.push_back({file.path, Digest(64, '0')});
    wire::Check check;
    names.validate(check);
    for (const Cause& cause : check.causes()) {
      const size_t index =
          parse_integer<size_t>(split(split(cause.field, '[').back(), ']')[0]).value_or(0);
      refuse(found_[std::min(index, found_.size() - 1)].path, cause.message);
    }
    if (causes_.empty()) return {};
    Error error{Code::kInvalidArgument, "WORKSPACE_ENTRY_REFUSED",
                cat(causes_[0].field, " ", causes_[0].message)};
    error.causes = std::move(causes_);
    return error;
  }

  int root_;
  const ScanLimits& limits_;
  IgnoreRules rules_;
  std::vector<Found> found_;
  std::vector<contracts::LeftOut> left_out_;
  std::vector<Cause> causes_;
  int64_t bytes_ = 0;
};

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool same_version(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && same_time(os::modified_at(a), os::modified_at(b)) &&
         same_time(os::changed_at(a), os::changed_at(b));
}

// The digest of a file that did not change while it was read; `file.stat` is then of that version.
Result<Digest> read_digest(int root, Found& file) {
  for (int i = 0; i < kReadTries; ++i) {
    ASSIGN_OR_RETURN(const os::RegularFile opened,
                     file.is_link ? os::open_linked_file_beneath(root, file.path)
                                  : os::open_regular_file_beneath(root, file.path));
    ASSIGN_OR_RETURN(Digest digest, crypto::sha256_fd(opened.fd.get()));
    if (::fstat(opened.fd.get(), &file.stat) != 0) return system_error("reading a file", errno);
    if (same_version(opened.stat, file.stat)) return digest;
  }
  return Error{Code::kFailedPrecondition, "FILE_CHANGED",
               cat(file.path, " keeps changing while it is read")};
}

}  // namespace

Result<Scan> scan_folder(const std::string& folder, const ScanLimits& limits) {
  ASSIGN_OR_RETURN(const os::Fd root, os::open_root(folder));
  Collector collector(root.get(), limits);
  TRY(collector.collect());
  Scan scan;
  scan.left_out = std::move(collector.left_out());
  DigestCache cache(limits.cache_path);
  for (Found& file : collector.found()) {
    std::optional<Digest> digest = cache.find(file.stat);
    if (!digest) {
      ASSIGN_OR_RETURN(digest, read_digest(root.get(), file));
      cache.remember(file.stat, *digest);
      scan.hashed_bytes += file.stat.st_size;
    }
    scan.bytes += file.stat.st_size;
    scan.tree.entries.push_back({file.path, std::move(*digest), int64_t{file.stat.st_size},
                                 (file.stat.st_mode & S_IXUSR) != 0});
  }
  cache.save();
  return scan;
}

}  // namespace paddock::cas
