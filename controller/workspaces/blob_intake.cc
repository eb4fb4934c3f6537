#include "controller/workspaces/blob_intake.h"

#include <sys/statvfs.h>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::workspaces {
namespace {

Error exhausted(std::string reason, std::string message) {
  return {Code::kResourceExhausted, std::move(reason), std::move(message)};
}

Result<int64_t> stored_bytes(const std::string& root) {
  ASSIGN_OR_RETURN(const os::Fd folder, os::open_root(root));
  int64_t bytes = 0;
  TRY(os::walk(folder.get(), [&](const os::WalkEntry& entry) {
    if (S_ISREG(entry.stat.st_mode)) bytes += entry.stat.st_size;
    return true;
  }));
  return bytes;
}

// Counts bytes from the start of an upload, so that uploads side by side cannot pass the quota
// together; gives them back unless kept.
class Reservation {
 public:
  Reservation(std::atomic<int64_t>& used, int64_t bytes)
      : used_(used), bytes_(bytes), total_(used_ += bytes) {}
  ~Reservation() { used_ -= bytes_; }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  int64_t total() const { return total_; }
  void keep() { bytes_ = 0; }

 private:
  std::atomic<int64_t>& used_;
  int64_t bytes_;
  int64_t total_;
};

}  // namespace

Result<std::unique_ptr<BlobIntake>> BlobIntake::open(const cas::BlobStore& blobs,
                                                     const std::string& root,
                                                     const BlobLimits& limits) {
  ASSIGN_OR_RETURN(const int64_t used, stored_bytes(root));
  return std::unique_ptr<BlobIntake>(new BlobIntake(blobs, root, limits, used));
}

Status BlobIntake::check_room(int64_t length) const {
  struct statvfs disk = {};
  if (::statvfs(root_.c_str(), &disk) != 0)
    return system_error("looking at free disk space", errno);
  const auto free = static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
  if (free - length >= limits_.min_free) return {};
  return exhausted("DISK_FULL", cat("the server's disk has no room for ", length,
                                    " more bytes; ask its operator"));
}

Status BlobIntake::receive(const cas::Digest& digest, int64_t length, const BlobSource& source,
                           cas::Durability durability) {
  if (!contracts::is_digest(digest)) {
    return invalid_argument("BAD_DIGEST", "a digest is 64 lower-case hexadecimal digits", "digest");
  }
  if (length < 0) return invalid_argument("LENGTH_REQUIRED", "a blob needs a Content-Length");
  if (length > limits_.max_blob) {
    return Error{Code::kTooLarge, "BLOB_TOO_LARGE",
                 cat("a blob may have at most ", format_quantity(limits_.max_blob), " bytes")};
  }
  const bool known = blobs_.use(digest);
  Reservation reservation(used_, known ? 0 : length);
  if (!known) {
    if (reservation.total() > limits_.quota) {
      return exhausted("BLOB_QUOTA_EXCEEDED",
                       cat("all blobs together may take ", format_quantity(limits_.quota),
                           "; ask the operator for room"));
    }
    TRY(check_room(length));
  }
  ASSIGN_OR_RETURN(cas::BlobStore::Writer writer, blobs_.begin(digest, length, durability));
  TRY(source([&](std::string_view bytes) { return writer.append(bytes); }));
  TRY(writer.commit());
  if (known && durability == cas::Durability::kNow) TRY(blobs_.sync());
  reservation.keep();
  return {};
}

}  // namespace paddock::workspaces
