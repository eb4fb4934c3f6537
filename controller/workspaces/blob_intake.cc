#include "controller/workspaces/blob_intake.h"

#include <sys/statvfs.h>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::workspaces {
namespace {

Error exhausted(Reason reason, std::string message) {
  return {Code::kResourceExhausted, reason, std::move(message)};
}

Result<int64_t> stored_bytes(const cas::Blobs& blobs) {
  ASSIGN_OR_RETURN(const std::vector<cas::Blobs::Stored> stored, blobs.list());
  int64_t bytes = 0;
  for (const cas::Blobs::Stored& each : stored) bytes += each.size;
  return bytes;
}

// The bytes of one upload that have arrived. They count until the store counts the blob, or the
// upload is dropped.
class Arriving {
 public:
  explicit Arriving(std::atomic<int64_t>& all) : all_(all) {}
  ~Arriving() { all_ -= bytes_; }
  Arriving(const Arriving&) = delete;
  Arriving& operator=(const Arriving&) = delete;
  void add(size_t bytes) {
    bytes_ += static_cast<int64_t>(bytes);
    all_ += static_cast<int64_t>(bytes);
  }

 private:
  std::atomic<int64_t>& all_;
  int64_t bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<BlobIntake>> BlobIntake::open(const cas::Blobs& blobs,
                                                     const std::string& root,
                                                     const BlobLimits& limits,
                                                     std::optional<int64_t> told) {
  std::unique_ptr<BlobIntake> intake(new BlobIntake(blobs, root, limits));
  if (told) {
    intake->used_before_ = *told - blobs.growth();
  } else {
    TRY(intake->count());
  }
  return intake;
}

// A blob that arrives while the list is read may be in it or not: it is counted twice rather than
// not at all.
Status BlobIntake::count() {
  constexpr int kTries = 3;
  int64_t before = 0;
  int64_t stored = 0;
  for (int tries = 0; tries < kTries; ++tries) {
    before = blobs_.growth();
    ASSIGN_OR_RETURN(stored, stored_bytes(blobs_));
    if (blobs_.growth() == before) break;
  }
  used_before_ = stored - before;
  counted_ = true;
  return {};
}

Status BlobIntake::check_quota(int64_t length) const {
  if (used() + arriving_.load() <= limits_.quota - length) return {};
  return exhausted("BLOB_QUOTA_EXCEEDED",
                   cat("all blobs together may take ", format_quantity(limits_.quota),
                       "; ask the operator for room"));
}

Status BlobIntake::check_room(int64_t length) const {
  TRY(check_quota(length));
  blobs_.make_room(length);
  struct statvfs disk = {};
  if (::statvfs(root_.c_str(), &disk) != 0)
    return system_error("looking at free disk space", errno);
  const auto free = static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
  if (free - length >= limits_.min_free) return {};
  return exhausted("DISK_FULL",
                   cat("the server's disk has no room ",
                       length > 0 ? cat("for ", length, " more bytes") : "left for files",
                       "; ask its operator (blobs.minFree of the controller is ",
                       format_quantity(limits_.min_free), ")"));
}

Status BlobIntake::receive(const cas::Digest& digest, int64_t length, const BlobSource& source,
                           cas::Durability durability, bool shown) {
  if (!contracts::is_digest(digest)) {
    return invalid_argument("BAD_DIGEST", "a digest is 64 lower-case hexadecimal digits", "digest");
  }
  if (length < 0) return invalid_argument("LENGTH_REQUIRED", "a blob needs a Content-Length");
  if (length > limits_.max_blob) {
    return Error{Code::kTooLarge, "BLOB_TOO_LARGE",
                 cat("a file may have at most ", format_quantity(limits_.max_blob),
                     " bytes (blobs.maxBlob of the controller)")};
  }
  const bool here = blobs_.use(digest);
  const bool known = here && shown;
  if (!known) TRY(check_room(length));
  using IfHere = cas::Blobs::IfHere;
  ASSIGN_OR_RETURN(
      cas::Blobs::Writer writer,
      blobs_.begin(digest, length, durability, shown ? IfHere::kCompare : IfHere::kWrite));
  Arriving arriving(arriving_);
  Status arrived = source([&](std::string_view bytes) -> Status {
    if (!known) {
      arriving.add(bytes.size());
      TRY(check_quota(0));
    }
    return writer.append(bytes);
  });
  TRY(std::move(arrived));
  TRY(writer.commit());
  if (here && durability == cas::Durability::kNow) TRY(blobs_.sync());
  return {};
}

}  // namespace paddock::workspaces
