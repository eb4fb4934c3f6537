#include "controller/api/server/sound_blobs.h"

#include <sys/stat.h>

#include <fstream>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "tests/support/temp_dir.h"

namespace paddock::api {
namespace {

class Sound : public testing::Test {
 protected:
  std::string path_of(const cas::Digest& digest) const {
    return folder_ / cat(digest.substr(0, 2), "/", digest);
  }
  // Past the file's mode and without its length.
  void damage(const cas::Digest& digest) {
    ASSERT_EQ(::chmod(path_of(digest).c_str(), 0600), 0);
    std::fstream file(path_of(digest), std::ios::in | std::ios::out | std::ios::binary);
    file.put('X');
  }
  const test::TempDir folder_;
  cas::BlobStore blobs_ = cas::BlobStore::open(folder_.path()).value();
  SoundBlobs sound_;
};

TEST_F(Sound, ABlobThatIsWhatItsDigestSaysIsOpened) {
  const cas::Digest digest = blobs_.put("content").value();
  EXPECT_TRUE(sound_.open(blobs_, digest).ok());
  EXPECT_TRUE(sound_.open(blobs_, digest).ok());
  EXPECT_EQ(sound_.open(blobs_, std::string(64, '0')).error().reason, "BLOB_NOT_FOUND");
}

TEST_F(Sound, ADamagedOneIsRefusedAlsoWhenItWasSoundBefore) {
  const cas::Digest first = blobs_.put("content").value();
  damage(first);
  EXPECT_EQ(sound_.open(blobs_, first).error().reason, "BLOB_DAMAGED");
  EXPECT_EQ(sound_.open(blobs_, first).error().code, Code::kUnavailable);
  const cas::Digest second = blobs_.put("other content").value();
  EXPECT_TRUE(sound_.open(blobs_, second).ok());
  damage(second);
  EXPECT_EQ(sound_.open(blobs_, second).error().reason, "BLOB_DAMAGED");
}

}  // namespace
}  // namespace paddock::api
