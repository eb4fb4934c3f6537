#include "common/client/bundle_body.h"

#include <unistd.h>

#include <cerrno>

#include "common/base/text.h"
#include "common/cas/bundle.h"

namespace paddock::client {

BundleBody::BundleBody(bool compress, int64_t size) : compress_(compress) {
  bundle_.reserve(static_cast<size_t>(size));
}

bool BundleBody::add(const contracts::TreeEntry& blob, int file) {
  std::string content(static_cast<size_t>(blob.size), '\0');
  for (size_t read = 0; read < content.size();) {
    const ssize_t got =
        ::pread(file, content.data() + read, content.size() - read, static_cast<off_t>(read));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    read += static_cast<size_t>(got);
  }
  cas::append_to_bundle(bundle_, blob.digest, content);
  return true;
}

Status BundleBody::move_to(http::Request& request) {
  if (!compress_) {
    request.body = std::move(bundle_);
    return {};
  }
  request.target += cat("?compression=", compression::kZstd, "&size=", bundle_.size());
  const auto keep = [&](std::string_view bytes) -> Status {
    request.body += bytes;
    return {};
  };
  compression::Compressor smaller;
  TRY(smaller.append(bundle_, keep));
  return smaller.finish(keep);
}

}  // namespace paddock::client
