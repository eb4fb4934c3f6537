#include "tests/support/blobs_suite.h"

#include "controller/bucket/bucket_test_support.h"

namespace paddock::bucket {

// Each time it is opened again the folder on this host is lost, so all that is read is the
// bucket's.
class BucketBackend {
 public:
  BucketBackend() { open(); }
  cas::Blobs& blobs() { return *blobs_; }
  void reopen() {
    blobs_.reset();
    host_.forget_cache();
    open();
  }
  void age(const cas::Digest& digest, int64_t used_s) {
    server_.change(digest, [&](auto& object) { object.modified = {used_s * 1000}; });
    reopen();
  }

 private:
  void open() { blobs_ = host_.open_listed(server_, clock_).value(); }

  const ManualClock clock_;
  test::FakeS3 server_;
  Host host_;
  std::unique_ptr<BucketBlobs> blobs_;
};

}  // namespace paddock::bucket

namespace paddock::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Bucket, BlobsSuite, bucket::BucketBackend);

}  // namespace paddock::test
