// Files from the controller: artifacts to whoever asks, blobs to a node.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/cas/blob_store.h"
#include "common/cas/bundle.h"
#include "common/client/client_test_support.h"
#include "common/client/controller_client.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "tests/support/http_server.h"
#include "tests/support/temp_dir.h"

namespace paddock::client {
namespace {

using test::answer;
using test::HttpAnswer;
using test::HttpRequest;
using test::HttpServer;
using testing::ElementsAre;
using testing::IsEmpty;

class Download : public testing::Test {
 protected:
  const std::string content_ = std::string(100'000, 'm') + std::string("\0\xFF", 2);
  const contracts::Artifact artifact_{"models/a b?.bin", static_cast<int64_t>(content_.size()),
                                      crypto::sha256_hex(content_)};
  test::TempDir dir_;
  os::Fd folder_ = std::move(*os::open_root(dir_.path()));
};

TEST_F(Download, StartsAnewAfterABrokenTransferAndLeavesOnlyTheFile) {
  HttpServer server([&, seen = 0](const HttpRequest&) mutable {
    HttpAnswer reply = answer(200, content_);
    if (++seen == 1) reply = {reply.bytes.substr(0, 50'000), true};
    return reply;
  });
  ControllerClient client({server.url(), {}, {}, {}});
  const Status saved =
      client.download_artifact("ns", "r", artifact_, folder_.get(), "out/models/a.bin");
  ASSERT_TRUE(saved.ok()) << saved.error().describe();
  EXPECT_EQ(*os::read_file(dir_ / "out/models/a.bin"), content_);
  EXPECT_THAT(*os::list_dir(dir_ / "out/models"), ElementsAre("a.bin"));
  EXPECT_EQ(server.requests()[0].target,
            cat(kBase, "/namespaces/ns/runs/r/artifacts/models/a%20b%3F.bin"));
}

TEST_F(Download, KeepsNothingThatIsNotWhatWasPromised) {
  for (const std::string& wrong :
       {content_ + "x", content_.substr(1), std::string(content_.size(), 'x')}) {
    HttpServer server([&](const HttpRequest&) { return answer(200, wrong); });
    ControllerClient client({server.url(), {}, {}, {}});
    const Status saved = client.download_artifact("ns", "r", artifact_, folder_.get(), "a.bin");
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.error().reason, "DIGEST_MISMATCH");
    EXPECT_THAT(*os::list_dir(dir_.path()), IsEmpty());
  }
}

TEST_F(Download, NeverLeavesTheFolder) {
  HttpServer server([&](const HttpRequest&) { return answer(200, content_); });
  ControllerClient client({server.url(), {}, {}, {}});
  for (const char* path : {"../a", "/tmp/a", "x/../../a"}) {
    EXPECT_FALSE(client.download_artifact("ns", "r", artifact_, folder_.get(), path).ok()) << path;
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(Download, BringsBlobsToTheNodeAndArtifactsBack) {
  HttpServer server([&](const HttpRequest& request) {
    return answer(200, request.method == "GET" ? content_ : "");
  });
  ControllerClient client({server.url(), {}, {}, {}});
  const cas::BlobStore store = *cas::BlobStore::open(dir_ / "store");
  ASSERT_TRUE(client.fetch_blob("n", "uid", artifact_.digest, artifact_.size, store).ok());
  EXPECT_EQ(*store.read(artifact_.digest, 1 << 20), content_);
  EXPECT_EQ(
      client.fetch_blob("n", "uid", std::string(64, '0'), artifact_.size, store).error().reason,
      "DIGEST_MISMATCH");
  EXPECT_EQ(client.fetch_blob("n", "uid", std::string(64, '1'), 5, store).error().reason,
            "BLOB_TOO_LARGE");
  const os::Fd blob = std::move(*store.open_blob(artifact_.digest));
  ASSERT_TRUE(client.upload_artifact("n", "uid", blob.get(), artifact_).ok());
  EXPECT_EQ(server.requests().back().body, content_);
  EXPECT_EQ(server.requests().back().target,
            cat(kBase, "/nodes/n/runs/uid/artifacts/", artifact_.digest));
}

// What a node asks for at once, and the stream that it gets.
class FetchedBundle : public Download {
 protected:
  FetchedBundle() {
    for (const std::string& content : {std::string("one"), std::string(), std::string("three")}) {
      const std::string digest = crypto::sha256_hex(content);
      entries_.push_back({content, digest, static_cast<int64_t>(content.size()), false});
      cas::append_to_bundle(bundle_, digest, content);
    }
  }
  Status fetch(const HttpAnswer& sent) {
    HttpServer server([&](const HttpRequest& request) {
      asked_ = request.body;
      return sent;
    });
    ControllerClient client({server.url(), {}, {}, {}});
    std::vector<const contracts::TreeEntry*> blobs;
    for (const auto& each : entries_) blobs.push_back(&each);
    const Status fetched = client.fetch_bundle("n", "uid", blobs, store_);
    EXPECT_TRUE(std::ranges::none_of(blobs, [&](auto* each) { return store_.has(each->digest); }));
    EXPECT_EQ(blobs.size() + here(), entries_.size());
    return fetched;
  }
  size_t here() const {
    return static_cast<size_t>(
        std::ranges::count_if(entries_, [&](const auto& each) { return store_.has(each.digest); }));
  }
  std::vector<contracts::TreeEntry> entries_;
  std::string bundle_;
  std::string asked_;
  const cas::BlobStore store_ = *cas::BlobStore::open(dir_ / "store");
};

TEST_F(FetchedBundle, BringsEachBlobOnceAndAsksForWhatIsMissing) {
  ASSERT_TRUE(store_.put("one").ok());
  EXPECT_TRUE(fetch(answer(200, bundle_.substr(39))).ok());
  EXPECT_EQ(asked_.find(entries_[0].digest), std::string::npos);
  EXPECT_EQ(here(), 3U);
}

TEST_F(FetchedBundle, ThatIsNotWholeLeavesTheRestMissing) {
  EXPECT_TRUE(fetch(answer(200, bundle_.substr(0, bundle_.size() - 1))).ok());
  EXPECT_EQ(here(), 2U);
  EXPECT_TRUE(fetch(answer(200, "")).ok());
}

TEST_F(FetchedBundle, BringsNothingThatWasNotAskedForOrIsNotItself) {
  std::string other;
  cas::append_to_bundle(other, crypto::sha256_hex("other"), "other");
  EXPECT_EQ(fetch(answer(200, other)).error().reason, "DIGEST_MISMATCH");
  EXPECT_FALSE(store_.has(crypto::sha256_hex("other")));
  std::string lie;
  cas::append_to_bundle(lie, entries_[2].digest, "THREE");
  EXPECT_EQ(fetch(answer(200, lie)).error().reason, "DIGEST_MISMATCH");
  EXPECT_EQ(fetch(answer(200, std::string(36, '\xff'))).error().reason, "BLOB_TOO_LARGE");
  EXPECT_EQ(fetch(answer(200, bundle_ + bundle_)).error().reason, "DIGEST_MISMATCH") << "twice";
  EXPECT_EQ(here(), 3U) << "what came before the fault stays";
}

TEST_F(FetchedBundle, IsNothingThatAnOlderControllerKnows) {
  const Error unknown{Code::kNotFound, "ROUTE_NOT_FOUND", "there is nothing here"};
  EXPECT_EQ(fetch(error_answer(unknown)).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace paddock::client
