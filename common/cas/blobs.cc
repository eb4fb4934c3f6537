#include "common/cas/blobs.h"

#include <unistd.h>

#include <cerrno>

#include "common/base/text.h"

namespace paddock::cas {
namespace {

constexpr size_t kReadAtOnce = 256 << 10;

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
  ASSIGN_OR_RETURN(const os::Fd fd, open_blob(digest));
  return os::read_all(fd.get(), limit);
}

Result<Digest> Blobs::put(std::string_view bytes) const {
  const Digest digest = crypto::sha256_hex(bytes);
  if (has(digest)) return digest;
  ASSIGN_OR_RETURN(Writer writer, begin(digest, static_cast<int64_t>(bytes.size())));
  TRY(writer.append(bytes));
  TRY(writer.commit());
  return digest;
}

Status Blobs::put_fd(int fd, const Digest& expected) const {
  ASSIGN_OR_RETURN(Writer writer, begin(expected, kSizeUnknown));
  const auto buffer = std::make_unique<char[]>(kReadAtOnce);
  while (true) {
    const ssize_t got = ::read(fd, buffer.get(), kReadAtOnce);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading a file for the store", errno);
    if (got == 0) return writer.commit();
    TRY(writer.append({buffer.get(), static_cast<size_t>(got)}));
  }
}

}  // namespace paddock::cas
