#include "controller/api/blob_response.h"

#include <unistd.h>

#include <cerrno>
#include <memory>

#include "common/base/text.h"

namespace paddock::api {
namespace {

constexpr size_t kPiece = 256 << 10;

// RFC 5987: everything but letters, digits and -_. as %XX.
std::string percent_encode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    if (plain) {
      out += c;
    } else {
      out += '%';
      for (const char digit : hex({&c, 1}))
        out += digit >= 'a' ? static_cast<char>(digit - 'a' + 'A') : digit;
    }
  }
  return out;
}

void send_file(int fd, int64_t size, ResponseStream& out) {
  const auto buffer = std::make_unique<char[]>(kPiece);
  int64_t left = size;
  while (left > 0) {
    const ssize_t got =
        ::read(fd, buffer.get(), static_cast<size_t>(std::min<int64_t>(left, kPiece)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !out.write({buffer.get(), static_cast<size_t>(got)})) return;
    left -= got;
  }
}

}  // namespace

Result<Response> blob_response(const Request& request, const cas::BlobStore& blobs,
                               const cas::Digest& digest, std::string_view file_name) {
  ASSIGN_OR_RETURN(os::Fd opened, blobs.open_blob(digest));
  ASSIGN_OR_RETURN(const int64_t size, blobs.size(digest));
  Response response;
  response.content_type = "application/octet-stream";
  response.headers.emplace_back("etag", cat("\"", digest, "\""));
  response.headers.emplace_back("x-content-type-options", "nosniff");
  if (!file_name.empty())
    response.headers.emplace_back("content-disposition",
                                  cat("attachment; filename*=UTF-8''", percent_encode(file_name)));
  if (request.header("if-none-match") == cat("\"", digest, "\"")) {
    response.status = 304;
    return response;
  }
  response.headers.emplace_back("content-length", std::to_string(size));
  response.stream = [fd = std::make_shared<os::Fd>(std::move(opened)), size](ResponseStream& out) {
    send_file(fd->get(), size, out);
  };
  return response;
}

}  // namespace paddock::api
