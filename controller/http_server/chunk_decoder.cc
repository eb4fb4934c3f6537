#include "controller/http_server/chunk_decoder.h"

#include <algorithm>

#include "common/base/percent.h"

namespace paddock::http_server {
namespace {

constexpr size_t kMaxSizeDigits = 15;
constexpr size_t kMaxSizeLine = 256;
constexpr size_t kMaxTrailerBytes = 4096;

Error malformed(std::string message) {
  return invalid_argument("BODY_MALFORMED", std::move(message));
}

bool is_text(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f); }

}  // namespace

Result<size_t> ChunkDecoder::decode(std::string_view bytes, const Take& take) {
  size_t used = 0;
  while (used < bytes.size() && !done()) {
    if (state_ == State::kData) {
      const size_t size = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size() - used));
      TRY(take(bytes.substr(used, size)));
      used += size;
      left_ -= size;
      if (left_ == 0) state_ = State::kDataCr;
    } else {
      TRY(step(bytes[used]));
      ++used;
    }
  }
  return used;
}

Status ChunkDecoder::step(char c) {
  switch (state_) {
    case State::kSize:
    case State::kExtension:
    case State::kSizeEnd:
      return step_size(c);
    case State::kDataCr:
      if (c != '\r') return malformed("a chunk is longer than its size says");
      state_ = State::kDataLf;
      return {};
    case State::kDataLf:
      if (c != '\n') return malformed("a chunk must end with CR LF");
      state_ = State::kSize;
      line_ = 0;
      return {};
    case State::kTrailer:
    case State::kTrailerEnd:
      return step_trailer(c);
    case State::kData:
    case State::kDone:
      break;
  }
  return {};
}

Status ChunkDecoder::step_size(char c) {
  if (state_ == State::kSizeEnd) {
    if (c != '\n') return malformed("a chunk size must end with CR LF");
    state_ = left_ > 0 ? State::kData : State::kTrailer;
    line_ = 0;
    return {};
  }
  if (++line_ > kMaxSizeLine) return malformed("a chunk size line is too long");
  if (c == '\r' && line_ > 1) {
    state_ = State::kSizeEnd;
  } else if (c == ';' && line_ > 1) {
    state_ = State::kExtension;
  } else if (state_ == State::kExtension) {
    if (!is_text(c)) return malformed("a chunk extension has a control character");
  } else {
    const int digit = hex_value(c);
    if (digit < 0 || line_ > kMaxSizeDigits)
      return malformed("a chunk size must be hexadecimal digits");
    left_ = left_ * 16 + static_cast<uint64_t>(digit);
  }
  return {};
}

Status ChunkDecoder::step_trailer(char c) {
  if (++trailer_bytes_ > kMaxTrailerBytes) return malformed("the trailers are too long");
  if (state_ == State::kTrailerEnd) {
    if (c != '\n') return malformed("a trailer must end with CR LF");
    state_ = line_ == 0 ? State::kDone : State::kTrailer;
    line_ = 0;
  } else if (c == '\r') {
    state_ = State::kTrailerEnd;
  } else {
    if (!is_text(c)) return malformed("a trailer has a control character");
    ++line_;
  }
  return {};
}

}  // namespace paddock::http_server
