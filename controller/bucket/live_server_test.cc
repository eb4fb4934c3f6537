// The same store with a real server, which tests/integration/bucket_test.py starts and names in
// PADDOCK_TEST_S3_ENDPOINT, _BUCKET and _KEYS. Skipped without them.
#include <fcntl.h>

#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "controller/bucket/bucket_blobs.h"
#include "controller/bucket/bucket_test_support.h"

namespace paddock::bucket {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

class LiveServer : public testing::Test {
 protected:
  void SetUp() override {
    settings_.endpoint = variable("PADDOCK_TEST_S3_ENDPOINT");
    settings_.bucket = variable("PADDOCK_TEST_S3_BUCKET");
    settings_.credentials_file = variable("PADDOCK_TEST_S3_KEYS");
    settings_.prefix = cat("live/", make_uuid(random_), "/");
    settings_.part = kPart;
    if (settings_.endpoint.empty()) GTEST_SKIP() << "no server in PADDOCK_TEST_S3_ENDPOINT";
  }
  Result<std::unique_ptr<BucketBlobs>> open() {
    return BucketBlobs::open(settings_, {folder_ / "cache", folder_ / "bucket-id"},
                             {int64_t{1} << 30, 0}, clock_, random_);
  }
  std::unique_ptr<BucketBlobs> open_anew() {
    EXPECT_TRUE(os::remove_tree(folder_ / "cache").ok());
    return open().value();
  }

  static constexpr int64_t kPart = 5 << 20;  // the smallest that S3 takes
  SystemClock clock_;
  SystemRandom random_;
  const test::TempDir folder_;
  s3::BucketSettings settings_;
};

TEST_F(LiveServer, KeepsFindsAndRemovesBlobs) {
  auto blobs = open().value();
  const std::string large(static_cast<size_t>(2 * kPart + 7), 'x');
  const std::vector<std::string> contents = {"", "content", large};
  std::vector<cas::Digest> digests;
  for (const std::string& each : contents) {
    const auto put = blobs->put(each);
    ASSERT_TRUE(put.ok()) << put.error().describe();
    digests.push_back(*put);
  }
  blobs.reset();
  blobs = open_anew();
  for (size_t i = 0; i < contents.size(); ++i) {
    EXPECT_TRUE(blobs->use(digests[i]));
    EXPECT_EQ(blobs->size(digests[i]).value(), static_cast<int64_t>(contents[i].size()));
    const auto read = blobs->read(digests[i], size_t{1} << 30);
    ASSERT_TRUE(read.ok()) << read.error().describe();
    EXPECT_TRUE(*read == contents[i]);
  }
  for (const cas::Digest& each : digests)
    EXPECT_TRUE(blobs->remove_unused(each, std::numeric_limits<int64_t>::max()).value());
  blobs.reset();
  EXPECT_TRUE(open_anew()->list().value().empty());
}

TEST_F(LiveServer, GivesAPartOfAnObject) {
  const s3::Bucket bucket(settings_, clock_);
  ASSERT_TRUE(bucket.put_text("key", "0123456789").ok());
  std::string got;
  const Status read = bucket.get("key", 4, 10, [&](std::string_view piece) {
    got += piece;
    return true;
  });
  EXPECT_TRUE(read.ok()) << read.error().describe();
  EXPECT_EQ(got, "456789");
  EXPECT_EQ(bucket.size("another").error().reason, "OBJECT_NOT_FOUND");
  EXPECT_TRUE(bucket.remove("key").ok());
}

TEST_F(LiveServer, ListsMoreThanAPage) {
  settings_.page = 10;
  const s3::Bucket bucket(settings_, clock_);
  constexpr int kObjects = 25;
  for (int i = 0; i < kObjects; ++i) ASSERT_TRUE(bucket.put_text(cat("k/", i), "").ok());
  int found = 0;
  const Status listed = bucket.list("k/", [&](const std::vector<s3::Object>& page) -> Status {
    found += static_cast<int>(page.size());
    return {};
  });
  EXPECT_TRUE(listed.ok()) << listed.error().describe();
  EXPECT_EQ(found, kObjects);
}

TEST_F(LiveServer, RefusesAnotherSecretAndAnotherBucketByName) {
  folder_.write("keys", "aws_access_key_id=nobody\naws_secret_access_key=nothing\n", 0600);
  s3::BucketSettings other = settings_;
  other.credentials_file = folder_ / "keys";
  EXPECT_EQ(s3::Bucket(other, clock_).check().error().reason, "BUCKET_DENIED");
  other = settings_;
  other.bucket = "there-is-none";
  EXPECT_EQ(s3::Bucket(other, clock_).check().error().reason, "BUCKET_NOT_FOUND");
}

// One whose content is not what was signed does not get in, where the server looks.
TEST_F(LiveServer, ABodyThatIsNotWhatWasSignedIsNotStored) {
  const s3::Bucket bucket(settings_, clock_);
  folder_.write("body", "content");
  const os::Fd file(::open((folder_ / "body").c_str(), O_RDONLY | O_CLOEXEC));
  const Status stored = bucket.put("key", {file.get(), 0, 7, crypto::sha256_hex("another")});
  if (stored.ok()) GTEST_SKIP() << "this server does not compare bodies with their digests";
  EXPECT_EQ(stored.error().code, Code::kUnavailable) << stored.error().describe();
}

}  // namespace
}  // namespace paddock::bucket
