// A store of blobs in a bucket in memory. For tests only.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "controller/bucket/bucket_blobs.h"
#include "tests/support/fake_s3.h"
#include "tests/support/temp_dir.h"

namespace paddock::bucket {

// A folder of one controller's.
class Host {
 public:
  Host() { folder_.write("keys", "aws_access_key_id=id\naws_secret_access_key=secret\n", 0600); }
  s3::BucketSettings settings(const test::FakeS3& server) const {
    s3::BucketSettings out;
    out.endpoint = server.url();
    out.bucket = "bucket";
    out.prefix = "p/";
    out.credentials_file = folder_ / "keys";
    out.transfers = 4;
    out.silence = Millis(500);
    out.part = 100'000;
    out.first_retry = Millis(1);
    return out;
  }
  Result<std::unique_ptr<BucketBlobs>> open(const test::FakeS3& server, const Clock& clock,
                                            int64_t cache = int64_t{1} << 30) {
    return BucketBlobs::open(settings(server), {folder_ / "cache", folder_ / "bucket-id"},
                             {cache, 0}, clock, random_);
  }
  // And what is there is known.
  Result<std::unique_ptr<BucketBlobs>> open_listed(const test::FakeS3& server, const Clock& clock) {
    ASSIGN_OR_RETURN(std::unique_ptr<BucketBlobs> blobs, open(server, clock));
    TRY(blobs->list());
    return blobs;
  }
  void forget_cache() const { EXPECT_TRUE(os::remove_tree(folder_ / "cache").ok()); }
  std::string cached(const cas::Digest& digest) const {
    return folder_ / cat("cache/", digest.substr(0, 2), "/", digest);
  }
  const test::TempDir& folder() const { return folder_; }

 private:
  test::TempDir folder_;
  SystemRandom random_;
};

}  // namespace paddock::bucket
