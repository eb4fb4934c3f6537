#include "tests/support/blobs_suite.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <optional>

#include "common/base/text.h"
#include "common/cas/blob_store.h"

namespace paddock::cas {

// The folder that every controller and agent has.
class FolderBackend {
 public:
  FolderBackend() { reopen(); }
  Blobs& blobs() { return *store_; }
  void reopen() { store_.emplace(BlobStore::open(dir_.path()).value()); }
  void age(const Digest& digest, int64_t used_s) {
    const timespec times[2] = {{used_s, 0}, {used_s, 0}};
    const std::string path = cat(dir_.path(), "/", digest.substr(0, 2), "/", digest);
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

 private:
  test::TempDir dir_;
  std::optional<BlobStore> store_;
};

}  // namespace paddock::cas

namespace paddock::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Folder, BlobsSuite, cas::FolderBackend);

}  // namespace paddock::test
