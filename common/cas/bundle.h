// Many small blobs as one stream, a bundle: of each its digest (32 bytes), its size (4 bytes, the
// highest first) and its content. How a project of thousands of files travels in a few requests.
// Nothing says how many there are: each stands for itself, so a stream that breaks off has brought
// what was whole of it. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/tree.h"

namespace paddock::cas {

// How a receiver says that it takes them (TreeAnswer::compressions).
inline constexpr std::string_view kBundle = "bundle";

inline constexpr size_t kBundleHead = 36;
inline constexpr size_t kBundledBlob = 256 << 10;          // a larger one travels by itself
inline constexpr size_t kBundleContent = size_t{4} << 20;  // of all of one bundle
inline constexpr size_t kBundleBlobs = 2'048;              // in one
inline constexpr size_t kBundleBytes = kBundleContent + kBundleBlobs * kBundleHead;

// `digest` must be one.
void append_to_bundle(std::string& bundle, const contracts::Digest& digest,
                      std::string_view content);
// The size of a bundle of these blobs, without compression.
int64_t bundle_size(const std::vector<const contracts::TreeEntry*>& blobs);
// In turn, as few as the limits allow; what is too large for a bundle is alone.
std::vector<std::vector<const contracts::TreeEntry*>> as_bundles(
    const std::vector<const contracts::TreeEntry*>& blobs);

// A bundle that arrives in pieces; of hostile senders, too. Holds one blob at most.
class BundleReader {
 public:
  // Gets each blob once it is whole. Whether the content is that of its digest is for `Take` to
  // see.
  using Take = std::function<Status(const contracts::Digest&, std::string_view content)>;
  // TooLarge: BLOB_TOO_LARGE (a blob over kBundledBlob), BODY_TOO_LARGE (more of them, or of their
  // content, than one bundle has); and what `take` says. After an error it is of no use.
  Status append(std::string_view piece, const Take& take);
  // InvalidArgument (BLOB_INCOMPLETE) if the last blob is not whole.
  Status finish() const;

 private:
  Status begin_blob();

  std::string head_;  // whole: a blob is under way
  std::string content_;
  size_t size_ = 0;
  size_t blobs_ = 0;
  size_t all_content_ = 0;
};

}  // namespace paddock::cas
