// Blobs that arrive compressed: the content is stored, and nothing that is not it.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "common/compression/compression.h"
#include "common/crypto/digest.h"
#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

class CompressedBlobs : public ApiTest {
 protected:
  static std::string compressed(const std::string& content) {
    test::TempDir folder;
    folder.write("f", content);
    const os::Fd fd(::open((folder / "f").c_str(), O_RDONLY | O_CLOEXEC));
    const auto out =
        compression::compress_file(fd.get(), static_cast<int64_t>(content.size())).value();
    std::string bytes(static_cast<size_t>(out.size), '\0');
    EXPECT_EQ(::pread(out.fd.get(), bytes.data(), bytes.size(), 0), out.size);
    return bytes;
  }
  Answer put(const std::string& digest, const std::string& query, const std::string& body) {
    return call("PUT", cat(kWorkspaces, "/w/blobs/", digest, query), body);
  }
  void SetUp() override {
    ApiTest::SetUp();
    make_workspace();
  }
  const std::string content_ = std::string(200'000, 'c');
  const std::string digest_ = crypto::sha256_hex(content_);
  const std::string query_ = "?compression=zstd&size=200000";
};

TEST_F(CompressedBlobs, AreStoredAsTheirContent) {
  const std::string small = compressed(content_);
  ASSERT_LT(small.size(), 1000U);
  const Answer stored = put(digest_, query_, small);
  EXPECT_EQ(stored.status, 201) << stored.text;
  EXPECT_EQ(blobs_.read(digest_, 1 << 20).value(), content_);
}

TEST_F(CompressedBlobs, LeaveNothingWhenTheyAreNotWhatTheySay) {
  const std::string small = compressed(content_);
  const auto reason = [&](const std::string& query, const std::string& body) {
    return put(digest_, query, body).reason();
  };
  EXPECT_EQ(reason(query_, compressed(std::string(200'000, 'x'))), "DIGEST_MISMATCH");
  EXPECT_EQ(reason(query_, content_), "COMPRESSION_INVALID");
  EXPECT_EQ(reason(query_, ""), "COMPRESSION_INVALID");
  EXPECT_EQ(reason(query_, small.substr(0, small.size() / 2)), "COMPRESSION_INVALID");
  EXPECT_EQ(reason(query_, small + "x"), "COMPRESSION_INVALID");
  EXPECT_EQ(reason("?compression=zstd&size=199999", small), "COMPRESSION_INVALID");
  EXPECT_EQ(reason("?compression=zstd&size=200001", small), "COMPRESSION_INVALID");
  EXPECT_EQ(reason("?compression=zstd", small), "LENGTH_REQUIRED");
  EXPECT_EQ(reason("?compression=zstd&size=-1", small), "LENGTH_REQUIRED");
  EXPECT_EQ(reason("?compression=zstd&size=99999999999999999999", small), "LENGTH_REQUIRED");
  EXPECT_EQ(reason("?compression=zstd&size=9223372036854775807", small), "BLOB_TOO_LARGE");
  EXPECT_EQ(reason("?compression=gzip&size=200000", small), "COMPRESSION_UNSUPPORTED");
  EXPECT_FALSE(blobs_.has(digest_));
  EXPECT_EQ(put(digest_, query_, small).status, 201);
}

// As of a mount that went away. Whoever sends it keeps it, and comes again.
TEST_F(CompressedBlobs, AFolderThatIsGoneIsNoFaultOfTheirSender) {
  const std::string folder = folder_ / "blobs";
  const std::string elsewhere = folder_ / "elsewhere";
  ASSERT_EQ(::rename(folder.c_str(), elsewhere.c_str()), 0);
  const Answer refused = put(digest_, "", content_);
  EXPECT_EQ(refused.status, 503) << refused.text;
  EXPECT_EQ(refused.reason(), "STORE_IO");
  ASSERT_EQ(::rename(elsewhere.c_str(), folder.c_str()), 0);
  EXPECT_EQ(put(digest_, "", content_).status, 201);
}

TEST_F(CompressedBlobs, AreOfferedToWhoeverOffersATree) {
  const Answer answer = call("POST", cat(kWorkspaces, "/w/tree"), R"({"entries":[]})");
  ASSERT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(answer.body.at("compressions")->array()->at(0), wire::Value("zstd"));
}

}  // namespace
}  // namespace paddock::api
