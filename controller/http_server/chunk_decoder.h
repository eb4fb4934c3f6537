// The chunked transfer coding, decoded as bytes arrive. Strict: CR LF only, hexadecimal sizes only;
// extensions and trailers are bounded and ignored. Pure. (RFC 9112 section 7.1)
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "common/base/result.h"

namespace paddock::http_server {

class ChunkDecoder {
 public:
  using Take = std::function<Status(std::string_view)>;

  // Decodes from the front of `bytes` and returns how many of them belong to this body; fewer than
  // all only when done(). BODY_MALFORMED, or the error of `take`.
  Result<size_t> decode(std::string_view bytes, const Take& take);
  bool done() const { return state_ == State::kDone; }

 private:
  enum class State {
    kSize,
    kExtension,
    kSizeEnd,
    kData,
    kDataCr,
    kDataLf,
    kTrailer,
    kTrailerEnd,
    kDone
  };

  Status step(char c);
  Status step_size(char c);
  Status step_trailer(char c);

  State state_ = State::kSize;
  uint64_t left_ = 0;         // bytes left of the current chunk
  size_t line_ = 0;           // length of the current size line or trailer line
  size_t trailer_bytes_ = 0;  // of all trailers
};

}  // namespace paddock::http_server
