#include "common/cas/bundle.h"

#include <gtest/gtest.h>

#include "common/crypto/digest.h"

namespace paddock::cas {
namespace {

using contracts::Digest;
using contracts::TreeEntry;

std::string frame(const std::string& content) {
  std::string out;
  append_to_bundle(out, crypto::sha256_hex(content), content);
  return out;
}

// A head alone, that says any size.
std::string head(uint32_t size) {
  std::string out(32, 'd');
  for (int i = 3; i >= 0; --i) out += static_cast<char>(size >> (8 * i) & 0xff);
  return out;
}

struct Taken {
  std::vector<std::string> contents;
  Reason reason;  // empty: all of it was well
};

Taken read(std::string_view stream, size_t piece = SIZE_MAX) {
  Taken out;
  BundleReader reader;
  const auto take = [&](const Digest& digest, std::string_view content) -> Status {
    EXPECT_EQ(digest, crypto::sha256_hex(content));
    out.contents.emplace_back(content);
    return {};
  };
  Status status;
  while (status.ok() && !stream.empty()) {
    const std::string_view some = stream.substr(0, piece);
    status = reader.append(some, take);
    stream.remove_prefix(some.size());
  }
  if (status.ok()) status = reader.finish();
  if (!status.ok()) out.reason = status.error().reason;
  return out;
}

TEST(Bundle, BringsEachBlobOnceWhateverThePieces) {
  const std::vector<std::string> contents = {"one", "", std::string(kBundledBlob, 'x'), "two"};
  std::string stream;
  for (const std::string& each : contents) stream += frame(each);
  for (const size_t piece : {size_t{1}, size_t{35}, size_t{36}, size_t{4096}, SIZE_MAX})
    EXPECT_EQ(read(stream, piece).contents, contents) << piece;
  EXPECT_EQ(read("").reason, "");
}

TEST(Bundle, ThatBreaksOffHasBroughtWhatWasWhole) {
  const std::string stream = frame("one") + frame("another");
  const size_t second = frame("one").size();
  for (size_t cut = second + 1; cut < stream.size(); ++cut) {
    const Taken taken = read(stream.substr(0, cut));
    EXPECT_EQ(taken.contents, std::vector<std::string>{"one"}) << cut;
    EXPECT_EQ(taken.reason, "BLOB_INCOMPLETE") << cut;
  }
}

TEST(Bundle, HoldsNoMoreThanItsLimits) {
  EXPECT_EQ(read(head(kBundledBlob + 1)).reason, "BLOB_TOO_LARGE");
  EXPECT_EQ(read(head(UINT32_MAX)).reason, "BLOB_TOO_LARGE");
  std::string stream;
  for (size_t i = 0; i < kBundleBlobs; ++i) stream += frame("");
  EXPECT_EQ(read(stream).reason, "");
  EXPECT_EQ(read(stream + frame("")).reason, "BODY_TOO_LARGE");
  stream.clear();
  const std::string large(kBundledBlob, 'x');
  for (size_t i = 0; i < kBundleContent / kBundledBlob; ++i) stream += frame(large);
  EXPECT_EQ(read(stream).reason, "");
  EXPECT_EQ(read(stream + frame("x")).reason, "BODY_TOO_LARGE");
}

TEST(Bundle, AnErrorOfTheReceiverEndsIt) {
  BundleReader reader;
  const Status taken = reader.append(frame("x"), [](const Digest&, std::string_view) -> Status {
    return Error{Code::kResourceExhausted, "DISK_FULL", "no room"};
  });
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().reason, "DISK_FULL");
}

TEST(Bundle, WhatIsLargeTravelsByItself) {
  std::vector<TreeEntry> entries;
  for (size_t i = 0; i < kBundleBlobs + 1; ++i) entries.push_back({"f", "", 1, false});
  entries.push_back({"large", "", kBundledBlob + 1, false});
  for (size_t i = 0; i < kBundleContent / kBundledBlob; ++i)
    entries.push_back({"g", "", kBundledBlob, false});
  std::vector<const TreeEntry*> blobs;
  for (const TreeEntry& each : entries) blobs.push_back(&each);
  const auto bundles = as_bundles(blobs);
  ASSERT_EQ(bundles.size(), 4U);
  EXPECT_EQ(bundles[0].size(), kBundleBlobs);
  EXPECT_EQ(bundles[1].size(), 1U) << "the large one, which leaves the open bundle open";
  EXPECT_EQ(bundles[2].size(), 1 + kBundleContent / kBundledBlob - 1);
  EXPECT_EQ(bundles[3].size(), 1U);
  for (const auto& each : {bundles[0], bundles[2], bundles[3]})
    EXPECT_LE(bundle_size(each), static_cast<int64_t>(kBundleBytes));
  EXPECT_TRUE(as_bundles({}).empty());
}

}  // namespace
}  // namespace paddock::cas
