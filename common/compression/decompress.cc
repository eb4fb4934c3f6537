#include <zstd.h>

#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/compression/compression.h"

namespace paddock::compression {
namespace {

constexpr int kWindowLog = 23;  // 8 MiB, which every decoder should take (RFC 8878, 3.1.1.1.2)
constexpr size_t kReadBytes = 128 << 10;

Error invalid(std::string message) {
  return invalid_argument("COMPRESSION_INVALID", std::move(message));
}

}  // namespace

struct Decompressor::State {
  struct Free {
    void operator()(ZSTD_DCtx* raw) const { ZSTD_freeDCtx(raw); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context{ZSTD_createDCtx()};
  int64_t expected = 0;
  int64_t made = 0;
  bool whole = false;
  std::vector<char> piece = std::vector<char>(kReadBytes);
};

Decompressor::Decompressor(int64_t size) : state_(std::make_unique<State>()) {
  state_->expected = size;
  ZSTD_DCtx_setParameter(state_->context.get(), ZSTD_d_windowLogMax, kWindowLog);
}
Decompressor::~Decompressor() = default;

Status Decompressor::append(std::string_view piece,
                            const std::function<Status(std::string_view)>& take) {
  State& s = *state_;
  ZSTD_inBuffer in{piece.data(), piece.size(), 0};
  bool full = false;  // more may come out without anything more going in
  while (in.pos < in.size || full) {
    if (s.whole) return invalid("something follows the compressed content");
    ZSTD_outBuffer out{s.piece.data(), s.piece.size(), 0};
    const size_t left = ZSTD_decompressStream(s.context.get(), &out, &in);
    if (ZSTD_isError(left) != 0)
      return invalid(cat("this is not a zstd frame: ", ZSTD_getErrorName(left)));
    s.made += static_cast<int64_t>(out.pos);
    if (s.made > s.expected)
      return invalid(
          cat("the content is more than the ", s.expected, " bytes that were announced"));
    TRY(take({s.piece.data(), out.pos}));
    s.whole = left == 0;
    full = !s.whole && out.pos == out.size;
  }
  return {};
}

Status Decompressor::finish() const {
  if (!state_->whole) return invalid("the compressed content is cut off");
  if (state_->made == state_->expected) return {};
  return invalid(cat("the content has ", state_->made, " bytes, not ", state_->expected));
}

}  // namespace paddock::compression
