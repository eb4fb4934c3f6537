#include "node-agent/artifacts/collect.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "common/base/text.h"
#include "common/cas/ignore.h"
#include "common/contracts/node.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/os/writers.h"
#include "common/wire/json.h"
#include "node-agent/artifacts/left_out_rules.h"
#include "node-agent/artifacts/stamp.h"

namespace paddock::artifacts {
namespace {

constexpr int64_t kPiece = 256 << 10;

// The bytes that a name takes in an outcome: one byte of it may become six.
int64_t json_bytes(const std::string& name) { return std::ssize(wire::to_json(wire::Value(name))); }

Error interruption() { return {Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"}; }

class Collector {
 public:
  Collector(int root, const CollectRequest& request, const CollectLimits& limits,
            const std::function<bool()>& interrupted)
      : root_(root), request_(request), limits_(limits), interrupted_(interrupted) {
    skipped_.add("", cas::built_in_folder_rules());
  }

  Status add_dir(const std::string& asked) {
    const std::string dir = normalized_dir(asked);
    all_ = dir == ".";
    const auto folder = os::open_beneath(root_, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!folder) {
      const bool by_disk = note_disk(folder.error());
      leave_out(asked, by_disk ? unreadable() : missing_folder(folder.error()));
      return {};
    }
    Status failed;
    const auto visit = [&](const os::WalkEntry& entry) {
      const std::string path = all_ ? entry.path : os::join_path(dir, entry.path);
      if (skips(path, entry.stat)) return false;
      failed = add(path, entry.stat);
      return failed.ok();
    };
    const auto stops = [&] { return !failed.ok() || interrupted_(); };
    const auto walked =
        os::walk(folder->get(), visit, {.kept_bytes = limits_.kept_names, .interrupted = stops});
    TRY(std::move(failed));
    if (interrupted_()) return interruption();
    unlisted_ += walked.ok() ? *walked : 0;
    // A folder that cannot be read to its end is the run's doing, or the disk's, and costs the run
    // only that folder.
    if (walked.ok()) return {};
    const bool by_disk = note_disk(walked.error());
    leave_out(asked, by_disk ? unreadable()
                             : Rule{"FILE_UNREADABLE", "the folder could not be read to its end"});
    return {};
  }

  Collected finish() {
    if (unlisted_ > 0) {
      out_.left_out.push_back(
          {"…", cat("and ", unlisted_, " more that are not listed"), Reason("MORE_LEFT_OUT")});
    }
    return std::move(out_);
  }

 private:
  bool skips(const std::string& path, const struct stat& stat) {
    Refusal why = danger(path);
    if (all_ && !why) {
      const cas::IgnoreRule* rule = skipped_.excluded_by(path, S_ISDIR(stat.st_mode));
      if (rule != nullptr) why = Rule{"IGNORED", rule->source};
    }
    if (!why) return false;
    leave_out(S_ISDIR(stat.st_mode) ? cat(path, "/") : path, std::move(*why));
    return true;
  }

  void leave_out(const std::string& path, Rule rule) {
    if (static_cast<int64_t>(out_.left_out.size()) >= limits_.left_out || !has_place(path)) {
      ++unlisted_;
      return;
    }
    name_bytes_ += json_bytes(path);
    out_.left_out.push_back({to_utf8_lossy(path), std::move(rule.text), rule.reason});
  }

  bool has_place(const std::string& name) const {
    return name_bytes_ + json_bytes(name) <= limits_.name_bytes;
  }

  // Whether the error is the disk's, which cannot read what it holds. Then it is noted.
  bool note_disk(const Error& error) {
    if (error.reason != kDiskFailsReason) return false;
    ++disk_faults_;
    if (!out_.disk_fault) out_.disk_fault = error;
    return true;
  }

  // A file that could not be read is left out if that is the disk's fault. Any other error ends the
  // collection.
  Status without(const std::string& path, Error error) {
    if (!note_disk(error)) return error;
    leave_out(path, unreadable());
    return {};
  }

  size_t told() const {
    return out_.artifacts.size() + out_.left_out.size() + out_.unchanged.size();
  }

  // The list in the outcome is bounded and the number of files is not, so no more than that list is
  // remembered.
  Status add(const std::string& path, const struct stat& stat) {
    if (S_ISDIR(stat.st_mode) || told_.contains(path)) return {};
    const size_t before = told();
    TRY(add_new(path, stat));
    if (told() > before) told_.insert(path);
    return {};
  }

  Status add_new(const std::string& path, const struct stat& stat) {
    if (all_ && S_ISLNK(stat.st_mode) && find(request_.before.links, path) != nullptr) return {};
    Refusal rule = refusal(path, stat);  // before opening: a pipe would block
    if (!rule && !was_there(path, stat)) rule = type_refusal(path);
    if (!rule && request_.due && !request_.due(path, stat)) return {};
    if (!rule) return add_file(path);
    leave_out(path, std::move(*rule));
    return {};
  }

  // Why a file of this type is not brought back; an empty rule: it is. Only the first message also
  // says what could be done about it, so that a list of many files does not repeat it.
  Refusal type_refusal(const std::string& path) {
    if (request_.types.empty() || allowed_type(os::base_name(path), request_.types)) return {};
    Rule rule{"ARTIFACT_TYPE_NOT_LISTED",
              "its type is not on the list of artifact types of compute"};
    if (!std::exchange(told_types_, true))
      rule.text +=
          cat(": ", join(request_.types, " "),
              "; runs of other types (`paddock run`) bring back every file, and an operator adds "
              "to the list (artifacts.computeTypes of the controller)");
    return rule;
  }

  template <class Entry>
  static const Entry* find(const std::vector<Entry>& sorted, const std::string& path) {
    const auto found = std::ranges::lower_bound(sorted, path, {}, &Entry::path);
    return found != sorted.end() && found->path == path ? &*found : nullptr;
  }

  // The entry as the run found it; looked up only in the folder ".", and in all folders while the
  // run lives.
  const contracts::TreeEntry* found_by_run(const std::string& path) const {
    return all_ || request_.due ? find(request_.before.entries, path) : nullptr;
  }

  // Whether the file may still be the one that the run found.
  bool was_there(const std::string& path, const struct stat& stat) const {
    const contracts::TreeEntry* entry = found_by_run(path);
    return entry != nullptr && entry->size == stat.st_size;
  }

  bool is_unchanged(const std::string& path, const contracts::Artifact& now) const {
    const contracts::TreeEntry* entry = found_by_run(path);
    return entry != nullptr && entry->digest == now.digest && entry->executable == now.executable;
  }

  Refusal over_limit(const std::string& path, int64_t size) const {
    constexpr Reason kOver = "ARTIFACTS_OVER_LIMIT";
    if (static_cast<int64_t>(out_.artifacts.size()) >= limits_.files)
      return Rule{kOver, cat("more than ", limits_.files, " files")};
    if (size > limits_.bytes - out_.bytes)
      return Rule{kOver, cat("together more than ", format_bytes(limits_.bytes))};
    if (!has_place(path)) return Rule{kOver, "the names are too long together"};
    return {};
  }

  // The digest of the file as it was opened; empty if it has changed since, which is no fault.
  Result<contracts::Digest> digest_of(const os::RegularFile& file) {
    crypto::Sha256 hash;
    const auto buffer = std::make_unique_for_overwrite<char[]>(kPiece);
    for (int64_t left = file.stat.st_size; left > 0;) {
      if (interrupted_()) return interruption();
      const ssize_t got =
          ::read(file.fd.get(), buffer.get(), static_cast<size_t>(std::min(left, kPiece)));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_error("reading a file that came back", errno);
      if (got == 0) break;
      hash.update({buffer.get(), static_cast<size_t>(got)});
      left -= got;
    }
    struct stat now = {};
    if (::fstat(file.fd.get(), &now) != 0) return system_error("looking at a file", errno);
    if (request_.due && Stamp(now) != Stamp(file.stat)) return contracts::Digest();
    return hash.finish_hex();
  }

  // The file that was opened decides, and not the one that was seen under this name before: the
  // program may have replaced it.
  Status add_file(const std::string& path) {
    if (disk_faults_ >= limits_.disk_faults) {
      leave_out(path, {contracts::kDiskFails, "the node's disk failed before it was read"});
      return {};
    }
    const auto file = os::open_regular_file_beneath(root_, path);
    if (!file) {
      leave_out(path, note_disk(file.error()) ? unreadable()
                                              : Rule{"FILE_UNREADABLE", "it could not be opened"});
      return {};
    }
    if (request_.due && os::has_writers(file->fd.get()).value_or(false)) return {};
    contracts::Artifact artifact{path, file->stat.st_size, {}, (file->stat.st_mode & S_IXUSR) != 0};
    Refusal rule = refusal(path, file->stat);
    const bool compared = !rule && was_there(path, file->stat);
    if (compared) {
      auto digest = digest_of(*file);
      if (!digest) return without(path, std::move(digest).error());
      artifact.digest = std::move(*digest);
      if (is_unchanged(path, artifact)) {
        out_.unchanged.push_back(path);
        return {};
      }
    }
    if (!rule) rule = type_refusal(path);
    if (!rule) rule = over_limit(path, artifact.size);
    if (rule) {
      leave_out(path, std::move(*rule));
      return {};
    }
    if (!compared) {
      auto digest = digest_of(*file);
      if (!digest) return without(path, std::move(digest).error());
      artifact.digest = std::move(*digest);
    }
    if (artifact.digest.empty()) return {};
    name_bytes_ += json_bytes(path);
    out_.bytes += artifact.size;
    out_.artifacts.push_back(std::move(artifact));
    return {};
  }

  int root_;
  const CollectRequest& request_;
  const CollectLimits& limits_;
  const std::function<bool()>& interrupted_;
  Collected out_;
  std::set<std::string> told_;  // folders may overlap
  cas::IgnoreRules skipped_;    // below "."
  bool all_ = false;            // "." is being walked
  bool told_types_ = false;
  int64_t name_bytes_ = 0;
  int64_t unlisted_ = 0;
  int64_t disk_faults_ = 0;
};

}  // namespace

std::string normalized_dir(const std::string& dir) {
  std::vector<std::string> parts = split(dir, '/');
  std::erase_if(parts, [](const std::string& part) { return part.empty() || part == "."; });
  const std::string relative = parts.empty() ? "." : join(parts, "/");
  return dir.starts_with('/') ? cat("/", relative) : relative;
}

bool allowed_type(std::string_view name, const std::vector<std::string>& types) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  return std::ranges::find(types, ascii_lower(name.substr(dot))) != types.end();
}

// "." last: what a folder of its own was asked for comes back whatever it was before.
Result<Collected> collect(int root, const CollectRequest& request, const CollectLimits& limits,
                          const std::function<bool()>& interrupted) {
  Collector collector(root, request, limits, interrupted);
  std::vector<std::string> dirs = request.dirs;
  std::stable_partition(dirs.begin(), dirs.end(),
                        [](const auto& dir) { return normalized_dir(dir) != "."; });
  for (const std::string& dir : dirs) TRY(collector.add_dir(dir));
  return collector.finish();
}

}  // namespace paddock::artifacts
