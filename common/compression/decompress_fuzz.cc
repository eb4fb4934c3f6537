// Any bytes are a frame or are refused, with no more output than was announced.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "common/compression/compression.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kSize = 100'000;
  int64_t made = 0;
  const auto take = [&](std::string_view piece) -> paddock::Status {
    made += static_cast<int64_t>(piece.size());
    if (made > kSize) std::abort();
    return {};
  };
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  paddock::compression::Decompressor content(kSize);
  if (content.append(text.substr(0, size / 2), take) &&
      content.append(text.substr(size / 2), take) && content.finish() && made != kSize)
    std::abort();
  return 0;
}
