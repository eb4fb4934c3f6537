// Content on its way, as one Zstandard frame (RFC 8878). What comes in is hostile: memory and
// output are bounded by what the receiver expects, whatever a frame says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "common/base/result.h"
#include "common/os/fd.h"

namespace paddock::compression {

inline constexpr std::string_view kZstd = "zstd";

struct CompressedFile {
  os::Fd fd;  // without a name, beneath TMPDIR or /tmp
  int64_t size = 0;
};

// The first `size` bytes of `fd` (read from offset 0), compressed. Nothing where compressing does
// not pay: small content, a beginning that does not shrink by a tenth, no room for a temporary
// file. An error in reading `fd` gives nothing either: the next reader meets it.
std::optional<CompressedFile> compress_file(int fd, int64_t size);

// Content that is made in pieces, as one frame: at once smaller, whether that pays or not. One
// thread.
class Compressor {
 public:
  using Take = std::function<Status(std::string_view)>;
  Compressor();
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // The error of `take`, or Internal (SYSTEM_ERROR) without memory.
  Status append(std::string_view piece, const Take& take);
  Status finish(const Take& take);  // once

 private:
  struct State;
  Status squeeze(std::string_view piece, bool end, const Take& take);
  std::unique_ptr<State> state_;
};

// One frame of exactly `size` bytes, that arrives in pieces. One thread.
class Decompressor {
 public:
  explicit Decompressor(int64_t size);
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Hands on what `piece` holds. InvalidArgument: COMPRESSION_INVALID (no frame, damaged, more than
  // `size`, something after the frame, a window above 8 MiB), and what `take` says.
  Status append(std::string_view piece, const std::function<Status(std::string_view)>& take);
  // InvalidArgument COMPRESSION_INVALID unless the frame is whole and had `size` bytes.
  Status finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace paddock::compression
