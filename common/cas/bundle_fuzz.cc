// Any bytes are blobs or are refused, however they come in pieces; what was read is what was
// written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "common/cas/bundle.h"

using paddock::Status;
using paddock::cas::BundleReader;

namespace {

// The blobs as a bundle again; of a stream that was refused, those before the fault.
std::string blobs_of(std::string_view stream, size_t piece, bool& whole) {
  std::string again;
  size_t count = 0;
  BundleReader reader;
  const auto take = [&](const auto& digest, std::string_view content) -> Status {
    if (content.size() > paddock::cas::kBundledBlob || ++count > paddock::cas::kBundleBlobs ||
        !paddock::contracts::is_digest(digest))
      std::abort();
    paddock::cas::append_to_bundle(again, digest, content);
    return {};
  };
  whole = true;
  for (size_t at = 0; whole && at < stream.size(); at += piece)
    whole = reader.append(stream.substr(at, piece), take).ok();
  whole = whole && reader.finish().ok();
  return again;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view stream(reinterpret_cast<const char*>(data), size);
  bool at_once = false, in_pieces = false;
  const std::string all = blobs_of(stream, size + 1, at_once);
  if (blobs_of(stream, 7, in_pieces) != all || at_once != in_pieces) std::abort();
  if (!stream.starts_with(all) || (at_once && all != stream)) std::abort();
  return 0;
}
