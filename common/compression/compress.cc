#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/compression/compression.h"
#include "common/os/file_names.h"

namespace paddock::compression {
namespace {

constexpr int64_t kSmallest = 512;  // below, the request around it weighs more
constexpr int64_t kTrial = 256 << 10;
constexpr int kLevel = 1;  // faster than most networks
constexpr size_t kPiece = 128 << 10;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
using Context = std::unique_ptr<ZSTD_CCtx, FreeContext>;

os::Fd nameless_file() {
  const char* folder = std::getenv("TMPDIR");
  const std::string path = folder != nullptr && folder[0] == '/' ? folder : "/tmp";
  return os::nameless_file(path);
}

bool pays(int64_t in, int64_t out) { return out <= in - in / 10; }

class Compression {
 public:
  Compression(int fd, int64_t size)
      : fd_(fd),
        size_(size),
        context_(ZSTD_createCCtx()),
        in_(std::min(static_cast<size_t>(size), kPiece)),
        piece_(in_.size()) {}

  std::optional<CompressedFile> run() {
    out_.fd = nameless_file();
    if (!out_.fd.valid() || context_ == nullptr) return std::nullopt;
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 0);  // the digest is the check
    ZSTD_CCtx_setPledgedSrcSize(context_.get(), static_cast<unsigned long long>(size_));
    while (read_ < size_) {
      if (!one_piece()) return std::nullopt;
    }
    if (!pays(size_, out_.size)) return std::nullopt;
    return std::move(out_);
  }

 private:
  bool one_piece() {
    const auto want = static_cast<size_t>(std::min<int64_t>(size_ - read_, kPiece));
    const ssize_t got = ::pread(fd_, in_.data(), want, read_);
    if (got <= 0) return got < 0 && errno == EINTR;
    read_ += got;
    const bool last = read_ == size_;
    const bool trial_over = read_ >= kTrial && !tried_;
    // A flush costs a little and shows what the start became.
    if (!squeeze(static_cast<size_t>(got),
                 last ? ZSTD_e_end : (trial_over ? ZSTD_e_flush : ZSTD_e_continue)))
      return false;
    if (!trial_over) return true;
    tried_ = true;
    return pays(read_, out_.size);
  }

  bool squeeze(size_t size, ZSTD_EndDirective how) {
    ZSTD_inBuffer in{in_.data(), size, 0};
    while (true) {
      ZSTD_outBuffer out{piece_.data(), piece_.size(), 0};
      const size_t left = ZSTD_compressStream2(context_.get(), &out, &in, how);
      if (ZSTD_isError(left) != 0 || !os::write_all(out_.fd.get(), {piece_.data(), out.pos}))
        return false;
      out_.size += static_cast<int64_t>(out.pos);
      if (how == ZSTD_e_continue ? in.pos == in.size : left == 0) return true;
    }
  }

  int fd_;
  int64_t size_;
  int64_t read_ = 0;
  bool tried_ = false;
  Context context_;
  CompressedFile out_;
  std::vector<char> in_;  // no larger than the file, of which most are small
  std::vector<char> piece_;
};

}  // namespace

struct Compressor::State {
  Context context{ZSTD_createCCtx()};
  std::vector<char> piece = std::vector<char>(kPiece);
};

Compressor::Compressor() : state_(std::make_unique<State>()) {
  ZSTD_CCtx_setParameter(state_->context.get(), ZSTD_c_compressionLevel, kLevel);
}
Compressor::~Compressor() = default;

Status Compressor::append(std::string_view piece, const Take& take) {
  return squeeze(piece, false, take);
}

Status Compressor::finish(const Take& take) { return squeeze({}, true, take); }

Status Compressor::squeeze(std::string_view piece, bool end, const Take& take) {
  ZSTD_inBuffer in{piece.data(), piece.size(), 0};
  while (true) {
    ZSTD_outBuffer out{state_->piece.data(), state_->piece.size(), 0};
    const size_t left =
        ZSTD_compressStream2(state_->context.get(), &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0)
      return Error{Code::kInternal, "SYSTEM_ERROR", cat("compressing: ", ZSTD_getErrorName(left))};
    if (out.pos > 0) TRY(take({state_->piece.data(), out.pos}));
    if (end ? left == 0 : in.pos == in.size) return {};
  }
}

std::optional<CompressedFile> compress_file(int fd, int64_t size) {
  if (size < kSmallest) return std::nullopt;
  return Compression(fd, size).run();
}

}  // namespace paddock::compression
