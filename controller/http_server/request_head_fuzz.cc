// Any bytes as the start of a connection: a head is found or refused, and what is accepted keeps
// its promises. What follows the head is decoded as a chunked body.
#include <cstdint>
#include <cstdlib>

#include "controller/http_server/chunk_decoder.h"
#include "controller/http_server/origin.h"
#include "controller/http_server/request_head.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const paddock::http_server::RequestHead& head) {
  require(head.headers.count("host") == 1);
  require(head.body_length >= -1);
  for (const std::string& segment : head.target.segments) {
    require(!segment.empty() && segment != "." && segment != "..");
    require(segment.find_first_of(std::string_view("/\\\0\r\n", 5)) == std::string::npos);
  }
  for (const auto& [name, value] : head.headers) {
    require(value.find_first_of(std::string_view("\0\r\n", 3)) == std::string::npos);
  }
  (void)paddock::http_server::check_origin(head, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const paddock::http_server::HeadLimits limits;
  const auto end = paddock::http_server::find_head_end(bytes, 0, limits.max_bytes);
  if (!end.ok() || *end == 0) return 0;
  if (const auto head = paddock::http_server::parse_head(bytes.substr(0, *end), limits); head.ok())
    check(*head);
  paddock::http_server::ChunkDecoder decoder;
  size_t decoded = 0;
  const auto used =
      decoder.decode(bytes.substr(*end), [&](std::string_view piece) -> paddock::Status {
        decoded += piece.size();
        return {};
      });
  require(!used.ok() || (*used <= size - *end && decoded <= size));
  return 0;
}
