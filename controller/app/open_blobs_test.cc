#include "controller/app/open_blobs.h"

#include <gtest/gtest.h>

#include "common/cas/blob_store.h"
#include "common/os/file.h"
#include "tests/support/fake_s3.h"
#include "tests/support/temp_dir.h"

namespace paddock::app {
namespace {

class OpenBlobs : public testing::Test {
 protected:
  OpenBlobs() {
    folder_.write("keys", "aws_access_key_id=id\naws_secret_access_key=secret\n", 0600);
    config_.data_dir = folder_ / "data";
    EXPECT_TRUE(os::make_dirs(config_.data_dir).ok());
  }
  void use_bucket() {
    config_.blobs.s3.endpoint = server_.url();
    config_.blobs.s3.bucket = "bucket";
    config_.blobs.s3.credentials_file = folder_ / "keys";
  }
  Result<OpenedBlobs> open() { return open_blobs(config_, clock_, random_); }

  const test::TempDir folder_;
  SystemClock clock_;
  SystemRandom random_;
  test::FakeS3 server_;
  Config config_;
};

TEST_F(OpenBlobs, WithoutABucketTheyAreInTheDataFolder) {
  const auto opened = open();
  EXPECT_EQ(opened.value().folder, config_.data_dir + "/blobs");
  EXPECT_FALSE(opened->blobs->remote());
}

TEST_F(OpenBlobs, WhatTheFolderHadIsInTheBucketAfterwardsAndStaysUnderAnotherName) {
  const cas::Digest digest = open().value().blobs->put("content").value();
  use_bucket();
  for (int start = 0; start < 2; ++start) {
    const auto opened = open();
    EXPECT_TRUE(opened.value().blobs->remote());
    EXPECT_EQ(opened->blobs->read(digest, 100).value(), "content");
  }
  EXPECT_FALSE(os::exists(config_.data_dir + "/blobs"));
  EXPECT_TRUE(cas::BlobStore::open(config_.data_dir + "/blobs.moved").value().has(digest));
}

TEST_F(OpenBlobs, AMoveThatFailsIsRepeated) {
  const cas::Digest digest = open().value().blobs->put("content").value();
  use_bucket();
  server_.set_fault([](const test::HttpRequest& request) -> std::optional<test::HttpAnswer> {
    const bool meant =
        request.method == "PUT" && request.target.find("/blobs/") != std::string::npos;
    return meant ? std::optional(test::FakeS3::error(403, "AccessDenied")) : std::nullopt;
  });
  EXPECT_EQ(open().error().reason, "BUCKET_DENIED");
  EXPECT_TRUE(os::exists(config_.data_dir + "/blobs"));
  server_.set_fault({});
  EXPECT_TRUE(open().value().blobs->has(digest));
}

TEST_F(OpenBlobs, ABucketIsNotForgotten) {
  use_bucket();
  EXPECT_TRUE(open().ok());
  config_.blobs.s3 = {};
  EXPECT_EQ(open().error().reason, "BLOBS_ELSEWHERE");
}

}  // namespace
}  // namespace paddock::app
