// What every store of blobs must do, wherever it keeps them: a suite that each one's tests
// instantiate. For tests only. A Backend has
//   cas::Blobs& blobs()           the store
//   void reopen()                 as after a restart of its program
//   void age(digest, used_s)      as if it had been stored and used last at that time
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/cas/blobs.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::test {

template <class Backend>
class BlobsSuite : public testing::Test {
 protected:
  cas::Blobs& blobs() { return backend_.blobs(); }
  cas::Digest put(const std::string& bytes) { return blobs().put(bytes).value(); }
  std::vector<cas::Digest> listed() {
    std::vector<cas::Digest> out;
    const auto all = blobs().list().value();
    for (const cas::Blobs::Stored& each : all) out.push_back(each.digest);
    return out;
  }
  std::string text(const cas::Digest& digest) {
    const auto content = blobs().read(digest, 1 << 20);
    return content ? *content : content.error().describe();
  }
  Backend backend_;
  const std::string content_ = "some content";
  const cas::Digest digest_ = crypto::sha256_hex(content_);
};

TYPED_TEST_SUITE_P(BlobsSuite);

TYPED_TEST_P(BlobsSuite, KeepsWhatWasPutAlsoWhenItIsOpenedAgain) {
  EXPECT_FALSE(this->blobs().has(this->digest_));
  EXPECT_FALSE(this->blobs().use(this->digest_));
  EXPECT_EQ(this->put(this->content_), this->digest_);
  for (const bool again : {false, true}) {
    if (again) this->backend_.reopen();
    EXPECT_TRUE(this->blobs().has(this->digest_));
    EXPECT_TRUE(this->blobs().use(this->digest_));
    EXPECT_EQ(this->blobs().size(this->digest_).value(), 12);
    EXPECT_EQ(this->text(this->digest_), this->content_);
    EXPECT_THAT(this->listed(), testing::ElementsAre(this->digest_));
  }
}

TYPED_TEST_P(BlobsSuite, SaysThatABlobIsNotHere) {
  EXPECT_EQ(this->blobs().size(this->digest_).error().reason, "BLOB_NOT_FOUND");
  EXPECT_EQ(this->blobs().open_blob(this->digest_).error().reason, "BLOB_NOT_FOUND");
  const TempDir out;
  EXPECT_EQ(this->blobs().keep(this->digest_, out / "kept").error().reason, "BLOB_NOT_FOUND");
  EXPECT_TRUE(this->blobs().remove_unused(this->digest_, 1).value());
}

TYPED_TEST_P(BlobsSuite, RefusesWhatIsNoDigest) {
  for (const cas::Digest& odd : {cas::Digest(), cas::Digest("../../etc/passwd"),
                                 cas::Digest(64, 'A'), cas::Digest(63, 'a')}) {
    EXPECT_FALSE(this->blobs().has(odd));
    EXPECT_FALSE(this->blobs().use(odd));
    EXPECT_EQ(this->blobs().open_blob(odd).error().reason, "BAD_DIGEST");
    EXPECT_EQ(this->blobs().begin(odd, 1).error().reason, "BAD_DIGEST");
  }
  EXPECT_EQ(this->blobs().begin(this->digest_, -1).error().reason, "BAD_SIZE");
}

TYPED_TEST_P(BlobsSuite, TakesNothingThatIsNotWhatItsDigestSays) {
  auto wrong = this->blobs().begin(this->digest_, 12).value();
  EXPECT_TRUE(wrong.append("another text").ok());
  EXPECT_EQ(wrong.commit().error().reason, "DIGEST_MISMATCH");
  EXPECT_EQ(wrong.commit().error().reason, "BLOB_FINISHED");
  auto brief = this->blobs().begin(this->digest_, 12).value();
  EXPECT_TRUE(brief.append("some").ok());
  EXPECT_EQ(brief.commit().error().reason, "BLOB_INCOMPLETE");
  auto large = this->blobs().begin(this->digest_, 4).value();
  EXPECT_EQ(large.append("some content").error().reason, "BLOB_TOO_LARGE");
  EXPECT_FALSE(this->blobs().has(this->digest_));
  EXPECT_THAT(this->listed(), testing::IsEmpty());
  EXPECT_EQ(this->blobs().growth(), 0);
}

TYPED_TEST_P(BlobsSuite, TakesABlobInPiecesAndForLater) {
  for (const auto durability : {cas::Durability::kNow, cas::Durability::kLater}) {
    const std::string half(300'000, durability == cas::Durability::kNow ? 'n' : 'l');
    const cas::Digest digest = crypto::sha256_hex(half + half);
    auto writer = this->blobs().begin(digest, 600'000, durability).value();
    EXPECT_TRUE(writer.append(half).ok());
    EXPECT_TRUE(writer.append(half).ok());
    EXPECT_TRUE(writer.commit().ok());
    EXPECT_TRUE(this->blobs().use(digest));
    EXPECT_TRUE(this->blobs().sync().ok());
    this->backend_.reopen();
    EXPECT_EQ(this->text(digest), half + half);
  }
}

TYPED_TEST_P(BlobsSuite, KeepsAnEmptyBlob) {
  const cas::Digest empty = this->put("");
  this->backend_.reopen();
  EXPECT_EQ(this->blobs().size(empty).value(), 0);
  EXPECT_EQ(this->text(empty), "");
}

TYPED_TEST_P(BlobsSuite, CountsEachBlobOnce) {
  this->put(this->content_);
  this->put(this->content_);
  auto again =
      this->blobs().begin(this->digest_, 12, cas::Durability::kNow, cas::Blobs::IfHere::kWrite);
  EXPECT_TRUE(again.value().append(this->content_).ok());
  EXPECT_TRUE(again.value().commit().ok());
  EXPECT_EQ(this->blobs().growth(), 12);
  EXPECT_TRUE(
      this->blobs().remove_unused(this->digest_, std::numeric_limits<int64_t>::max()).value());
  EXPECT_EQ(this->blobs().growth(), 0);
}

TYPED_TEST_P(BlobsSuite, RemovesWhatWasNotUsedSince) {
  const cas::Digest old = this->put("old");
  this->backend_.age(old, 1'000);
  EXPECT_FALSE(this->blobs().remove_unused(old, 999).value());
  EXPECT_TRUE(this->blobs().has(old));
  EXPECT_TRUE(this->blobs().remove_unused(old, 1'000).value());
  EXPECT_FALSE(this->blobs().has(old));
  EXPECT_FALSE(this->blobs().use(old));
  EXPECT_EQ(this->blobs().open_blob(old).error().reason, "BLOB_NOT_FOUND");
  this->backend_.reopen();
  EXPECT_THAT(this->listed(), testing::IsEmpty());
  EXPECT_EQ(this->put("old"), old);
  EXPECT_EQ(this->text(old), "old");
}

TYPED_TEST_P(BlobsSuite, WhatIsUsedIsNotUnused) {
  const cas::Digest old = this->put("old");
  this->backend_.age(old, 1'000);
  EXPECT_TRUE(this->blobs().use(old));
  EXPECT_FALSE(this->blobs().remove_unused(old, 1'000).value());
  EXPECT_TRUE(this->blobs().has(old));
}

TYPED_TEST_P(BlobsSuite, WhatIsKeptOutlivesTheBlob) {
  const TempDir out;
  this->put(this->content_);
  EXPECT_TRUE(this->blobs().keep(this->digest_, out / "kept").ok());
  EXPECT_TRUE(
      this->blobs().remove_unused(this->digest_, std::numeric_limits<int64_t>::max()).value());
  EXPECT_EQ(os::read_file(out / "kept").value(), this->content_);
}

TYPED_TEST_P(BlobsSuite, ReadsFromAFileToTheEnd) {
  const TempDir out;
  out.write("file", this->content_);
  const os::Fd file(::open((out / "file").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(this->blobs().put_fd(file.get(), this->digest_).ok());
  EXPECT_EQ(this->text(this->digest_), this->content_);
}

TYPED_TEST_P(BlobsSuite, ManyAtOnceStoreAndReadTheSame) {
  std::vector<std::thread> all;
  for (int i = 0; i < 6; ++i) {
    all.emplace_back([this, i] {
      for (int k = 0; k < 4; ++k) {
        const std::string own = std::to_string(i) + "/" + std::to_string(k);
        EXPECT_TRUE(this->blobs().put(own).ok());
        EXPECT_TRUE(this->blobs().put("of all " + std::to_string(k)).ok());
        EXPECT_EQ(this->text(crypto::sha256_hex(own)), own);
      }
    });
  }
  for (std::thread& each : all) each.join();
  EXPECT_THAT(this->listed(), testing::SizeIs(6 * 4 + 4));
  EXPECT_EQ(this->blobs().growth(), 6 * 4 * 3 + 4 * 8);
}

REGISTER_TYPED_TEST_SUITE_P(BlobsSuite, KeepsWhatWasPutAlsoWhenItIsOpenedAgain,
                            SaysThatABlobIsNotHere, RefusesWhatIsNoDigest,
                            TakesNothingThatIsNotWhatItsDigestSays, TakesABlobInPiecesAndForLater,
                            KeepsAnEmptyBlob, CountsEachBlobOnce, RemovesWhatWasNotUsedSince,
                            WhatIsUsedIsNotUnused, WhatIsKeptOutlivesTheBlob,
                            ReadsFromAFileToTheEnd, ManyAtOnceStoreAndReadTheSame);

}  // namespace paddock::test
