#include "common/cas/blobs.h"

#include <unistd.h>

#include <cerrno>

#include "common/base/log.h"
#include "common/base/text.h"

namespace paddock::cas {
namespace {

constexpr size_t kReadAtOnce = 256 << 10;

// What a disk gave back is another content than was stored: it is nobody's answer.
Result<std::string> read_sound(const Blobs& blobs, const Digest& digest, size_t limit) {
  ASSIGN_OR_RETURN(const os::Fd fd, blobs.open_blob(digest));
  ASSIGN_OR_RETURN(std::string content, os::read_all(fd.get(), limit));
  if (crypto::sha256_hex(content) == digest) return content;
  log_error("a blob is damaged: restore it from a backup, or run again what made it",
            {{"digest", digest}});
  return Error{Code::kUnavailable, "BLOB_DAMAGED",
               "the stored file is not what it was any more; its operator has to bring it back"};
}

template <class T>
bool is_damaged(const Result<T>& read) {
  return !read && read.error().reason == "BLOB_DAMAGED";
}

}  // namespace

Status check_digest(const Digest& digest) {
  if (contracts::is_digest(digest)) return {};
  return invalid_argument("BAD_DIGEST", "a digest is 64 lower-case hexadecimal digits");
}

Error blob_not_found(const Digest& digest) {
  return {Code::kNotFound, "BLOB_NOT_FOUND", cat("there is no blob ", to_utf8_lossy(digest))};
}

Status Blobs::Writer::append(std::string_view bytes) { return target_->append(bytes); }

Status Blobs::Writer::commit() {
  const std::unique_ptr<Target> target = std::move(target_);
  if (target) return target->commit();
  return Error{Code::kFailedPrecondition, "BLOB_FINISHED", "the blob was finished before"};
}

Result<Blobs::Writer> Blobs::begin(const Digest& expected, int64_t size, Durability durability,
                                   IfHere if_here) const {
  TRY(check_digest(expected));
  if (size < 0) return invalid_argument("BAD_SIZE", "a blob has no negative size");
  ASSIGN_OR_RETURN(std::unique_ptr<Writer::Target> target,
                   open_writer(expected, size, durability, if_here));
  return Writer(std::move(target));
}

Result<std::string> Blobs::read(const Digest& digest, size_t limit) const {
  Result<std::string> content = read_sound(*this, digest, limit);
  if (!is_damaged(content) || !discard_damaged(digest)) return content;
  return read_sound(*this, digest, limit);
}

Result<Digest> Blobs::put(std::string_view bytes) const {
  const Digest digest = crypto::sha256_hex(bytes);
  if (has(digest)) {
    // Who brings the content once more mends what a disk damaged.
    const Result<std::string> there = read(digest, bytes.size());
    if (!is_damaged(there) && (there || there.error().code != Code::kTooLarge)) return digest;
    TRY(remove_unused(digest, std::numeric_limits<int64_t>::max()));
  }
  ASSIGN_OR_RETURN(Writer writer, begin(digest, static_cast<int64_t>(bytes.size())));
  TRY(writer.append(bytes));
  TRY(writer.commit());
  return digest;
}

Status Blobs::put_fd(int fd, const Digest& expected) const {
  ASSIGN_OR_RETURN(Writer writer, begin(expected, kSizeUnknown));
  const auto buffer = std::make_unique_for_overwrite<char[]>(kReadAtOnce);
  while (true) {
    const ssize_t got = ::read(fd, buffer.get(), kReadAtOnce);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading a file for the store", errno);
    if (got == 0) return writer.commit();
    TRY(writer.append({buffer.get(), static_cast<size_t>(got)}));
  }
}

}  // namespace paddock::cas
