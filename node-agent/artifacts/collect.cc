#include "node-agent/artifacts/collect.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>

#include "common/base/text.h"
#include "common/contracts/tree_path.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"

namespace paddock::artifacts {
namespace {

constexpr std::array<std::string_view, 10> kAllowed = {
    ".usearch", ".json", ".csv", ".bin", ".onnx", ".npy", ".npz", ".safetensors", ".txt", ".log"};

// Why an entry that is no folder cannot come back, judged without opening it; empty if it can.
std::string refusal(const std::string& path, const struct stat& stat) {
  if (S_ISLNK(stat.st_mode)) return "symbolic links are not followed";
  if (!S_ISREG(stat.st_mode)) return "not a regular file";
  if (stat.st_nlink > 1) return "a file with several hard links";
  if (const std::string fault = contracts::tree_path_fault(path); !fault.empty())
    return cat("its name ", fault);
  if (!allowed_extension(os::base_name(path)))
    return "its type is not on the list of artifact types";
  return {};
}

class Collector {
 public:
  Collector(int root, const CollectLimits& limits, const std::function<bool()>& interrupted)
      : root_(root), limits_(limits), interrupted_(interrupted) {}

  Status add_dir(const std::string& asked) {
    const std::string dir = normalized(asked);
    const auto folder = os::open_beneath(root_, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!folder) {
      leave_out(asked, missing_rule(folder.error()));
      return {};
    }
    Status failed;
    const Status walked = os::walk(folder->get(), [&](const os::WalkEntry& entry) {
      if (interrupted_())
        failed = Error{Code::kDeadlineExceeded, "INTERRUPTED", "the run was stopped"};
      if (!failed.ok()) return false;
      failed = add(dir == "." ? entry.path : os::join_path(dir, entry.path), entry.stat);
      return failed.ok();
    });
    TRY(std::move(failed));
    // A folder that cannot be read to its end is the run's doing and costs the run only that
    // folder.
    if (!walked.ok()) leave_out(asked, "the folder could not be read to its end");
    return {};
  }

  Collected finish() {
    if (unlisted_ > 0) {
      out_.left_out.push_back({"…", cat("and ", unlisted_, " more that are not listed")});
    }
    return std::move(out_);
  }

 private:
  static std::string normalized(const std::string& dir) {
    std::vector<std::string> parts;
    for (std::string& part : split(dir, '/')) {
      if (!part.empty() && part != ".") parts.push_back(std::move(part));
    }
    // An absolute path stays absolute, so that the kernel refuses it.
    const std::string relative = parts.empty() ? "." : join(parts, "/");
    return !dir.empty() && dir[0] == '/' ? cat("/", relative) : relative;
  }

  static std::string missing_rule(const Error& error) {
    return error.code == Code::kNotFound ? "no such folder" : "not a folder inside the workspace";
  }

  void leave_out(const std::string& path, std::string rule) {
    const std::string name = to_utf8_lossy(path);
    name_bytes_ += static_cast<int64_t>(name.size());
    if (static_cast<int64_t>(out_.left_out.size()) >= limits_.left_out ||
        name_bytes_ > limits_.name_bytes) {
      ++unlisted_;
      return;
    }
    out_.left_out.push_back({name, std::move(rule)});
  }

  Status add(const std::string& path, const struct stat& stat) {
    if (S_ISDIR(stat.st_mode) || !seen_.insert(path).second) return {};
    std::string rule = refusal(path, stat);  // before opening: a pipe would block
    if (rule.empty()) return add_file(path);
    leave_out(path, std::move(rule));
    return {};
  }

  std::string over_limit(const std::string& path, int64_t size) const {
    if (static_cast<int64_t>(out_.artifacts.size()) >= limits_.files) {
      return cat("more than ", limits_.files, " files");
    }
    if (size > limits_.bytes - out_.bytes) {
      return cat("together more than ", format_bytes(limits_.bytes));
    }
    if (name_bytes_ + static_cast<int64_t>(path.size()) > limits_.name_bytes) {
      return "the names are too long together";
    }
    return {};
  }

  // What was opened decides, not what was seen under this name before.
  Status add_file(const std::string& path) {
    const auto file = os::open_regular_file_beneath(root_, path);
    if (!file) {
      leave_out(path, "it could not be opened");
      return {};
    }
    std::string rule = refusal(path, file->stat);
    if (rule.empty()) rule = over_limit(path, file->stat.st_size);
    if (!rule.empty()) {
      leave_out(path, std::move(rule));
      return {};
    }
    ASSIGN_OR_RETURN(std::string digest, crypto::sha256_fd(file->fd.get()));
    name_bytes_ += static_cast<int64_t>(path.size());
    out_.bytes += file->stat.st_size;
    out_.artifacts.push_back({path, file->stat.st_size, std::move(digest)});
    return {};
  }

  int root_;
  const CollectLimits& limits_;
  const std::function<bool()>& interrupted_;
  Collected out_;
  std::set<std::string> seen_;  // folders may overlap
  int64_t name_bytes_ = 0;
  int64_t unlisted_ = 0;
};

}  // namespace

bool allowed_extension(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string extension = ascii_lower(name.substr(dot));
  return std::find(kAllowed.begin(), kAllowed.end(), extension) != kAllowed.end();
}

Result<Collected> collect(int root, const std::vector<std::string>& dirs,
                          const CollectLimits& limits, const std::function<bool()>& interrupted) {
  Collector collector(root, limits, interrupted);
  for (const std::string& dir : dirs) TRY(collector.add_dir(dir));
  return collector.finish();
}

}  // namespace paddock::artifacts
