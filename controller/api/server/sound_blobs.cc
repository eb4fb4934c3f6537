#include "controller/api/server/sound_blobs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "common/base/log.h"
#include "common/crypto/digest.h"

namespace paddock::api {
namespace {

constexpr size_t kReadAtOnce = 256 << 10;

Result<std::string> digest_of(int fd) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kReadAtOnce);  // most are small
  crypto::Sha256 hash;
  for (int64_t at = 0;;) {
    const ssize_t got = ::pread(fd, buffer.get(), kReadAtOnce, at);
    const int why = errno;
    if (got < 0 && why == EINTR) continue;
    if (got < 0) return system_error("reading a blob", why);
    if (got == 0) return hash.finish_hex();
    hash.update({buffer.get(), static_cast<size_t>(got)});
    at += got;
  }
}

Error damaged(const cas::Digest& digest) {
  log_error("a blob is damaged: restore it from a backup, or run again what made it",
            {{"digest", digest}});
  return {Code::kUnavailable, "BLOB_DAMAGED",
          "the stored file is not what it was any more; its operator has to bring it back"};
}

}  // namespace

Result<os::Fd> SoundBlobs::open(const cas::Blobs& blobs, const cas::Digest& digest) {
  Result<os::Fd> file = open_copy(blobs, digest);
  if (file || file.error().reason != "BLOB_DAMAGED" || !blobs.discard_damaged(digest)) return file;
  return open_copy(blobs, digest);
}

Result<os::Fd> SoundBlobs::open_copy(const cas::Blobs& blobs, const cas::Digest& digest) {
  ASSIGN_OR_RETURN(os::Fd file, blobs.open_blob(digest));
  struct stat now = {};
  if (::fstat(file.get(), &now) != 0) return system_error("looking at a blob", errno);
  const State state{now.st_ino, now.st_size, now.st_ctim.tv_sec, now.st_ctim.tv_nsec};
  const bool known = known_.with([&](const auto& all) {
    const auto found = all.find(digest);
    return found != all.end() && found->second == state;
  });
  if (known) return file;
  ASSIGN_OR_RETURN(const std::string found, digest_of(file.get()));
  if (found != digest) return damaged(digest);
  known_.with([&](auto& all) {
    if (all.size() >= kMostKept) all.clear();
    all[digest] = state;
  });
  return file;
}

}  // namespace paddock::api
