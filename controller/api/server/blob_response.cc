#include "controller/api/server/blob_response.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/cas/blobs.h"
#include "controller/api/server/byte_range.h"
#include "controller/api/server/sound_blobs.h"
#include "controller/http_server/refusal.h"

namespace paddock::api {
namespace {

constexpr size_t kPiece = 256 << 10;

void send_part(int fd, ByteRange range, ResponseStream& out) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kPiece);
  int64_t at = range.first;
  while (at <= range.last) {
    const auto want = static_cast<size_t>(std::min<int64_t>(range.last - at + 1, kPiece));
    const ssize_t got = ::pread(fd, buffer.get(), want, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !out.write({buffer.get(), static_cast<size_t>(got)})) return;
    at += got;
  }
}

void stream_part(Response& response, os::Fd opened, ByteRange range) {
  response.headers.emplace_back("content-length", std::to_string(range.last - range.first + 1));
  response.stream = [fd = std::make_shared<os::Fd>(std::move(opened)), range](ResponseStream& out) {
    send_part(fd->get(), range, out);
  };
}

// Sets the headers that describe the blob. False, with status 304, when the client has it already.
bool begin(const Request& request, const cas::Digest& digest, Response& response) {
  response.headers.emplace_back("etag", cat("\"", digest, "\""));
  response.headers.emplace_back("x-content-type-options", "nosniff");
  if (request.header("if-none-match") != cat("\"", digest, "\"")) return true;
  response.status = 304;
  return false;
}

Response unsatisfiable(const Error& error, int64_t size) {
  Response response = http_server::refusal(error);
  response.headers.emplace_back("content-range", cat("bytes */", size));
  return response;
}

}  // namespace

Result<Response> blob_response(const Request& request, Services& services,
                               const cas::Digest& digest, std::string_view file_name) {
  ASSIGN_OR_RETURN(os::Fd opened, services.sound_blobs->open(services.blobs, digest));
  ASSIGN_OR_RETURN(const int64_t size, services.blobs.size(digest));
  Response response;
  response.content_type = "application/octet-stream";
  if (!file_name.empty())
    response.headers.emplace_back("content-disposition",
                                  cat("attachment; filename*=UTF-8''", percent_encode(file_name)));
  if (begin(request, digest, response)) stream_part(response, std::move(opened), {0, size - 1});
  return response;
}

Result<Response> media_response(const Request& request, Services& services,
                                const cas::Digest& digest, std::string_view mime) {
  ASSIGN_OR_RETURN(os::Fd opened, services.sound_blobs->open(services.blobs, digest));
  ASSIGN_OR_RETURN(const int64_t size, services.blobs.size(digest));
  Response response;
  response.content_type = mime;
  if (!begin(request, digest, response)) return response;
  ByteRange range{0, size - 1};
  if (mime.starts_with("video/") || mime.starts_with("audio/")) {
    response.headers.emplace_back("accept-ranges", "bytes");
    const auto asked = parse_byte_range(request.header("range"), size);
    if (!asked) return unsatisfiable(asked.error(), size);
    if (*asked) {
      range = **asked;
      response.status = 206;
      response.headers.emplace_back("content-range",
                                    cat("bytes ", range.first, "-", range.last, "/", size));
    }
  }
  stream_part(response, std::move(opened), range);
  return response;
}

}  // namespace paddock::api
