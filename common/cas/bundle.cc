#include "common/cas/bundle.h"

#include <algorithm>

#include "common/base/percent.h"
#include "common/base/text.h"

namespace paddock::cas {
namespace {

using contracts::Digest;
using contracts::TreeEntry;

constexpr size_t kDigestBytes = 32;
constexpr size_t kSizeBytes = kBundleHead - kDigestBytes;

void append_number(std::string& out, size_t number) {
  for (size_t i = kSizeBytes; i-- > 0;) out += static_cast<char>(number >> (8 * i) & 0xff);
}

size_t read_number(std::string_view bytes) {
  size_t out = 0;
  for (const char c : bytes) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

bool is_small(const TreeEntry& blob) {
  return blob.size >= 0 && std::cmp_less_equal(blob.size, kBundledBlob);
}

// Moves from the front of `from` what `to` lacks of `size`.
void fill(std::string& to, size_t size, std::string_view& from) {
  const size_t some = std::min(size - to.size(), from.size());
  to += from.substr(0, some);
  from.remove_prefix(some);
}

}  // namespace

void append_to_bundle(std::string& bundle, const Digest& digest, std::string_view content) {
  bundle += hex_decode(digest);
  append_number(bundle, content.size());
  bundle += content;
}

int64_t bundle_size(const std::vector<const TreeEntry*>& blobs) {
  auto out = static_cast<int64_t>(blobs.size() * kBundleHead);
  for (const TreeEntry* each : blobs) out += each->size;
  return out;
}

std::vector<std::vector<const TreeEntry*>> as_bundles(const std::vector<const TreeEntry*>& blobs) {
  std::vector<std::vector<const TreeEntry*>> out;
  std::vector<const TreeEntry*> open;
  size_t content = 0;
  const auto close = [&] {
    if (!open.empty()) out.push_back(std::move(open));
    open.clear();
    content = 0;
  };
  for (const TreeEntry* each : blobs) {
    if (!is_small(*each)) {
      out.push_back({each});
      continue;
    }
    const auto size = static_cast<size_t>(each->size);
    if (open.size() == kBundleBlobs || content + size > kBundleContent) close();
    open.push_back(each);
    content += size;
  }
  close();
  return out;
}

Status BundleReader::append(std::string_view piece, const Take& take) {
  while (!piece.empty()) {
    if (head_.size() < kBundleHead) {
      fill(head_, kBundleHead, piece);
      if (head_.size() < kBundleHead) return {};
      TRY(begin_blob());
    }
    fill(content_, size_, piece);
    if (content_.size() < size_) return {};
    TRY(take(hex(std::string_view(head_).substr(0, kDigestBytes)), content_));
    head_.clear();
    content_.clear();
  }
  return {};
}

// Before anything of it is kept.
Status BundleReader::begin_blob() {
  size_ = read_number(std::string_view(head_).substr(kDigestBytes));
  if (size_ > kBundledBlob) {
    return Error{Code::kTooLarge, "BLOB_TOO_LARGE",
                 cat("a file of more than ", kBundledBlob, " bytes is sent by itself")};
  }
  all_content_ += size_;
  if (++blobs_ > kBundleBlobs || all_content_ > kBundleContent) {
    return Error{Code::kTooLarge, "BODY_TOO_LARGE",
                 cat("one bundle has at most ", kBundleBlobs, " files with ", kBundleContent,
                     " bytes together")};
  }
  content_.reserve(size_);
  return {};
}

Status BundleReader::finish() const {
  if (head_.empty()) return {};
  return invalid_argument("BLOB_INCOMPLETE", "the bundle ends within a file");
}

}  // namespace paddock::cas
