#include <memory>
#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/cas/blobs.h"
#include "common/cas/bundle.h"
#include "common/compression/compression.h"
#include "common/os/fd.h"
#include "controller/api/server/blob_response.h"
#include "controller/api/server/sound_blobs.h"

namespace paddock::api {
namespace {

constexpr size_t kSentAtOnce = 256 << 10;

// Sends the bundle in pieces, of which the client gets one at a time.
class BundleSending {
 public:
  BundleSending(ResponseStream& out, bool compressed) : out_(out) {
    if (compressed) compressor_ = std::make_unique<compression::Compressor>();
  }
  // False once the client is gone.
  bool add(const cas::Digest& digest, std::string_view content) {
    cas::append_to_bundle(bundle_, digest, content);
    return bundle_.size() < kSentAtOnce || send();
  }
  void finish() {
    if (!send() || !compressor_) return;
    if (compressor_->finish(keep()).ok()) (void)flush();
  }

 private:
  compression::Compressor::Take keep() {
    return [this](std::string_view bytes) -> Status {
      smaller_ += bytes;
      return {};
    };
  }
  bool send() {
    if (!compressor_) smaller_.swap(bundle_);
    if (compressor_ && !compressor_->append(bundle_, keep()).ok()) return false;
    bundle_.clear();
    return flush();
  }
  bool flush() {
    const bool open = smaller_.empty() || out_.write(smaller_);
    smaller_.clear();
    return open;
  }

  ResponseStream& out_;
  std::unique_ptr<compression::Compressor> compressor_;
  std::string bundle_;
  std::string smaller_;
};

// Nothing for a blob that is missing, damaged or too large: a caller who asks for that blob alone
// is told why.
std::optional<std::string> small_blob(Services& services, const cas::Digest& digest) {
  const Result<os::Fd> file = services.sound_blobs->open(services.blobs, digest);
  if (!file) return std::nullopt;
  Result<std::string> content = os::read_all(file->get(), cas::kBundledBlob);
  return content ? std::optional(std::move(*content)) : std::nullopt;
}

void send_bundle(Services& services, const std::vector<cas::Digest>& digests, bool compressed,
                 ResponseStream& out) {
  BundleSending sending(out, compressed);
  size_t all = 0;
  for (const cas::Digest& digest : digests) {
    const std::optional<std::string> content = small_blob(services, digest);
    if (!content || all + content->size() > cas::kBundleContent) continue;
    all += content->size();
    if (!sending.add(digest, *content)) return;
  }
  sending.finish();
}

}  // namespace

Result<Response> bundle_response(const Request& request, Services& services,
                                 std::vector<cas::Digest> digests) {
  const std::optional<std::string> compression = request.parameter("compression");
  if (compression && *compression != compression::kZstd) {
    return invalid_argument("COMPRESSION_UNSUPPORTED",
                            "a bundle is sent as it is, or with compression=zstd", "compression");
  }
  Response response;
  response.content_type = "application/octet-stream";
  response.headers.emplace_back("x-content-type-options", "nosniff");
  response.stream = [&services, digests = std::move(digests), compressed = compression.has_value()](
                        ResponseStream& out) { send_bundle(services, digests, compressed, out); };
  return response;
}

}  // namespace paddock::api
