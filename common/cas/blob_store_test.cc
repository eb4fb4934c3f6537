#include "common/cas/blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::cas {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class BlobFolder : public testing::Test {
 protected:
  std::vector<std::string> unfinished() { return *os::list_dir(dir_ / "store/tmp"); }

  test::TempDir dir_;
  BlobStore store_ = *BlobStore::open(dir_ / "store");
  const std::string content_ = "some content";
  const Digest digest_ = crypto::sha256_hex(content_);
};

TEST_F(BlobFolder, KeepsABlobUnderItsDigestReadOnly) {
  EXPECT_FALSE(store_.has(digest_));
  EXPECT_EQ(*store_.put(content_), digest_);
  EXPECT_TRUE(store_.has(digest_));
  EXPECT_EQ(*store_.size(digest_), 12);
  EXPECT_EQ(*store_.read(digest_, 100), content_);
  EXPECT_EQ(store_.read(digest_, 5).error().reason, "FILE_TOO_LARGE");
  struct stat info = {};
  ASSERT_EQ(::stat((dir_ / ("store/" + digest_.substr(0, 2) + "/" + digest_)).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0444U);
  EXPECT_THAT(unfinished(), IsEmpty());
}

TEST_F(BlobFolder, NeverReadsWhatTheDiskDamagedAndIsMendedByWhoBringsTheContentAgain) {
  EXPECT_EQ(*store_.put(content_), digest_);
  const std::string path = dir_ / ("store/" + digest_.substr(0, 2) + "/" + digest_);
  for (const std::string damaged : {"sane content", "some contents", "some conten"}) {
    ASSERT_TRUE(os::write_file_atomic(path, damaged, 0444).ok());
    EXPECT_EQ(store_.read(digest_, 100).error().reason, "BLOB_DAMAGED");
    EXPECT_EQ(store_.read(digest_, 100).error().code, Code::kUnavailable);
    EXPECT_EQ(store_.put(content_).value(), digest_);
    EXPECT_EQ(store_.read(digest_, 100).value(), content_);
  }
}

TEST_F(BlobFolder, AcceptsTheSameBlobAgain) {
  EXPECT_TRUE(store_.put(content_).ok());
  EXPECT_TRUE(store_.put(content_).ok());
  BlobStore::Writer again = std::move(*store_.begin(digest_, 12));
  EXPECT_TRUE(again.append(content_).ok());
  EXPECT_TRUE(again.commit().ok());
  BlobStore::Writer wrong = std::move(*store_.begin(digest_, 12));
  EXPECT_TRUE(wrong.append("another text").ok());
  EXPECT_EQ(wrong.commit().error().reason, "DIGEST_MISMATCH");
}

TEST_F(BlobFolder, RefusesWhatIsNoDigestBeforeItBecomesAPath) {
  for (const Digest& odd : {Digest(), Digest("../../etc/passwd"), Digest(64, 'A'), Digest(63, 'a'),
                            Digest(64, '/'), digest_ + "0"}) {
    EXPECT_FALSE(store_.has(odd));
    EXPECT_EQ(store_.open_blob(odd).error().reason, "BAD_DIGEST");
    EXPECT_EQ(store_.size(odd).error().reason, "BAD_DIGEST");
    EXPECT_EQ(store_.begin(odd, 1).error().reason, "BAD_DIGEST");
  }
  EXPECT_EQ(store_.open_blob(digest_).error().reason, "BLOB_NOT_FOUND");
  EXPECT_EQ(store_.begin(digest_, -1).error().reason, "BAD_SIZE");
}

TEST_F(BlobFolder, DropsAPiecewiseBlobThatIsWrongShortOrLong) {
  {
    BlobStore::Writer wrong = std::move(*store_.begin(digest_, 12));
    EXPECT_TRUE(wrong.append("wrong conten").ok());
    EXPECT_EQ(wrong.commit().error().reason, "DIGEST_MISMATCH");
    EXPECT_EQ(wrong.commit().error().reason, "BLOB_FINISHED");
    BlobStore::Writer brief = std::move(*store_.begin(digest_, 12));
    EXPECT_TRUE(brief.append("some ").ok());
    EXPECT_EQ(brief.commit().error().reason, "BLOB_INCOMPLETE");
    BlobStore::Writer lengthy = std::move(*store_.begin(digest_, 12));
    EXPECT_TRUE(lengthy.append(content_).ok());
    EXPECT_EQ(lengthy.append("!").error().reason, "BLOB_TOO_LARGE");
    BlobStore::Writer abandoned = std::move(*store_.begin(digest_, 12));
    EXPECT_TRUE(abandoned.append(content_).ok());
  }
  EXPECT_FALSE(store_.has(digest_));
  EXPECT_THAT(unfinished(), IsEmpty());
}

TEST_F(BlobFolder, CopiesFromADescriptorOnlyWhatWasPromised) {
  dir_.write("file", content_);
  const os::Fd file(::open((dir_ / "file").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(store_.put_fd(file.get(), crypto::sha256_hex("x")).error().reason, "DIGEST_MISMATCH");
  ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  EXPECT_TRUE(store_.put_fd(file.get(), digest_).ok());
  EXPECT_EQ(*store_.read(digest_, 100), content_);
}

// As where a mount went away over an older folder of the same controller.
TEST_F(BlobFolder, AnotherFolderInItsPlaceIsNotTakenForIt) {
  ASSERT_TRUE(store_.put(content_).ok());
  const std::string older = "of an older day";
  const Digest left_behind = crypto::sha256_hex(older);
  {
    const BlobStore below = *BlobStore::open(dir_ / "below");
    ASSERT_TRUE(below.put(older).ok());
  }
  ASSERT_EQ(::rename((dir_ / "store").c_str(), (dir_ / "away").c_str()), 0);
  ASSERT_EQ(::rename((dir_ / "below").c_str(), (dir_ / "store").c_str()), 0);
  EXPECT_FALSE(store_.is_there());
  EXPECT_EQ(store_.open_blob(digest_).error().reason, "STORE_IO") << "it is not lost";
  EXPECT_EQ(store_.keep(digest_, dir_ / "kept").error().reason, "STORE_IO");
  EXPECT_FALSE(store_.has(left_behind));
  EXPECT_FALSE(store_.use(left_behind));
  EXPECT_EQ(store_.put("new").error().reason, "STORE_IO");
  EXPECT_EQ(store_.list().error().reason, "STORE_IO");
  EXPECT_EQ(store_.remove_unused(left_behind, INT64_MAX).error().reason, "STORE_IO");
  ASSERT_EQ(::rename((dir_ / "store").c_str(), (dir_ / "below").c_str()), 0);
  ASSERT_EQ(::rename((dir_ / "away").c_str(), (dir_ / "store").c_str()), 0);
  EXPECT_TRUE(store_.has(digest_)) << "it is back";
  EXPECT_TRUE(store_.put("new").ok());
  EXPECT_THAT(*store_.list(), SizeIs(2));
}

TEST_F(BlobFolder, RemovesTheRestsOfDeadWritersAndLeavesTheLiving) {
  BlobStore::Writer living = std::move(*store_.begin(digest_, 12));
  const size_t named = unfinished().size();  // none where files need no name
  dir_.write("store/tmp/1-1", "a rest");
  dir_.write("store/tmp/1-2", "a rest", 0444);
  ASSERT_THAT(unfinished(), SizeIs(named + 2));
  ASSERT_TRUE(BlobStore::open(dir_ / "store").ok());
  EXPECT_THAT(unfinished(), SizeIs(named));
  EXPECT_TRUE(living.append(content_).ok());
  EXPECT_TRUE(living.commit().ok());
  EXPECT_TRUE(store_.has(digest_));
}

TEST_F(BlobFolder, TakesTheSameBlobFromManyThreadsAndProcesses) {
  const std::string content(100'000, 'c');
  const auto put_many = [&] {
    bool fine = true;
    for (int i = 0; i < 20; ++i) fine = store_.put(content + std::to_string(i)).ok() && fine;
    return fine;
  };
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(put_many() ? 0 : 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_TRUE(put_many()); });
  for (std::thread& thread : threads) thread.join();
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  for (int i = 0; i < 20; ++i) {
    const std::string expected = content + std::to_string(i);
    EXPECT_EQ(*store_.read(crypto::sha256_hex(expected), 1 << 20), expected);
  }
  EXPECT_THAT(unfinished(), IsEmpty());
}

}  // namespace
}  // namespace paddock::cas
