// Many small blobs in one request and in one answer: what was whole is stored, nothing else is.
#include "common/cas/bundle.h"
#include "common/cas/tree.h"
#include "common/compression/compression.h"
#include "controller/api/node_test_support.h"

namespace paddock::api {
namespace {

std::string frame(const std::string& content) {
  std::string out;
  cas::append_to_bundle(out, crypto::sha256_hex(content), content);
  return out;
}

std::string squeezed(const std::string& content) {
  std::string out;
  const auto keep = [&](std::string_view bytes) -> Status {
    out += bytes;
    return {};
  };
  compression::Compressor smaller;
  EXPECT_TRUE(smaller.append(content, keep).ok());
  EXPECT_TRUE(smaller.finish(keep).ok());
  return out;
}

class BundledBlobs : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    make_workspace();
  }
  Answer send_bundle(const std::string& body, const std::string& query = {}) {
    return call("POST", cat(kWorkspaces, "/w/blobs", query), body);
  }
  bool has(const std::string& content) { return blobs_.has(crypto::sha256_hex(content)); }
};

TEST_F(BundledBlobs, AreStoredEachByItsDigest) {
  const Answer stored = send_bundle(frame("one") + frame("") + frame("two") + frame("one"));
  EXPECT_EQ(stored.status, 201) << stored.text;
  EXPECT_EQ(*stored.body.at("stored"), wire::Value(4));
  EXPECT_TRUE(has("one") && has("") && has("two"));
  EXPECT_EQ(send_bundle("").status, 201);
}

TEST_F(BundledBlobs, AreCompressedAsOne) {
  const std::string content(200'000, 'c');
  const std::string bundle = frame(content) + frame("small");
  const std::string query = cat("?compression=zstd&size=", bundle.size());
  EXPECT_EQ(send_bundle(squeezed(bundle), query).status, 201);
  EXPECT_EQ(blobs_.read(crypto::sha256_hex(content), 1 << 20).value(), content);
  EXPECT_TRUE(has("small"));
}

TEST_F(BundledBlobs, WhatWasVerifiedBeforeAFaultStays) {
  const auto after = [&](const std::string& good, const std::string& bad) {
    const std::string reason = send_bundle(frame(good) + bad).reason();
    EXPECT_TRUE(has(good)) << reason;
    return reason;
  };
  std::string lie;
  cas::append_to_bundle(lie, crypto::sha256_hex("said"), "sent");
  EXPECT_EQ(after("a", lie), "DIGEST_MISMATCH");
  EXPECT_FALSE(has("said") || has("sent"));
  EXPECT_EQ(after("b", frame("cut off").substr(0, 40)), "BLOB_INCOMPLETE");
  EXPECT_EQ(after("c", frame("cut off").substr(0, 20)), "BLOB_INCOMPLETE");
  EXPECT_EQ(after("d", std::string(36, '\xff')), "BLOB_TOO_LARGE");
  std::string many;
  for (size_t i = 0; i < cas::kBundleBlobs; ++i) many += frame("");
  EXPECT_EQ(after("e", many), "BODY_TOO_LARGE");
  EXPECT_EQ(send_bundle(lie + frame("behind it")).reason(), "DIGEST_MISMATCH");
  EXPECT_FALSE(has("behind it"));
}

TEST_F(BundledBlobs, ABombEndsAtWhatWasAnnounced) {
  const std::string bomb = squeezed(std::string(64 << 20, '\0'));
  const auto reason = [&](int64_t size) {
    return send_bundle(bomb, cat("?compression=zstd&size=", size)).reason();
  };
  EXPECT_EQ(reason(64 << 20), "BODY_TOO_LARGE");
  EXPECT_EQ(reason(INT64_MAX), "BODY_TOO_LARGE");
  EXPECT_EQ(reason(-1), "LENGTH_REQUIRED");
  EXPECT_NE(reason(cas::kBundleBytes), "");
  EXPECT_EQ(send_bundle("x", "?compression=gzip&size=1").reason(), "COMPRESSION_UNSUPPORTED");
  EXPECT_EQ(send_bundle(std::string(cas::kBundleBytes + 1, '\0')).reason(), "BODY_TOO_LARGE");
}

TEST_F(BundledBlobs, GoToAWorkspaceThatIsThere) {
  EXPECT_EQ(call("POST", cat(kWorkspaces, "/other/blobs"), frame("x")).reason(),
            "WORKSPACE_NOT_FOUND");
  EXPECT_FALSE(has("x"));
}

TEST_F(BundledBlobs, AreOfferedToWhoeverOffersATree) {
  const Answer answer = call("POST", cat(kWorkspaces, "/w/tree"), R"({"entries":[]})");
  EXPECT_EQ(answer.body.at("compressions")->array()->at(1), wire::Value("bundle"));
}

class BundleOfARun : public NodeApiTest {
 protected:
  void SetUp() override {
    credential_ = enroll();
    contracts::Tree tree;
    for (const std::string& content : contents_) {
      const std::string digest = blobs_.put(content).value();
      tree.entries.push_back(
          {cat("f", tree.entries.size()), digest, static_cast<int64_t>(content.size()), false});
    }
    contracts::Run run;
    run.metadata = {.name = "r", .name_space = "team-a", .uid = "uid-r"};
    run.spec.command.argv = {"true"};
    run.status.phase = contracts::RunPhase::kRunning;
    run.status.node_name = "n1";
    run.status.attempt = 1;
    run.status.workspace_root = blobs_.put(cas::canonical_tree(tree)).value();
    ASSERT_TRUE(
        store_->write([&](store::WriteTxn& txn) { return store::create_run(txn, run, {}); }).ok());
  }
  Answer ask(const std::vector<std::string>& contents, const std::string& query = {}) {
    wire::Value::Array digests;
    for (const std::string& each : contents) digests.push_back(crypto::sha256_hex(each));
    Answer answer =
        send(request_of("POST", cat(kNodes, "/n1/runs/uid-r/blobs", query), credential_),
             wire::to_json(wire::Value::Object{{"digests", std::move(digests)}}));
    if (!answer.response.stream) return answer;
    FakeStream stream;
    answer.response.stream(stream);
    answer.text = stream.text;
    return answer;
  }
  const std::vector<std::string> contents_ = {"one", "", std::string(100'000, 'x'),
                                              std::string(cas::kBundledBlob + 1, 'y')};
  std::string credential_;
};

TEST_F(BundleOfARun, HasWhatWasAskedForAndIsSmall) {
  const std::string small = frame(contents_[0]) + frame(contents_[1]) + frame(contents_[2]);
  EXPECT_EQ(ask(contents_).text, small);
  EXPECT_EQ(ask({}).text, "");
  const std::string sent = ask(contents_, "?compression=zstd").text;
  EXPECT_LT(sent.size(), 1000U);
  compression::Decompressor content(static_cast<int64_t>(small.size()));
  std::string out;
  const auto keep = [&](std::string_view bytes) -> Status {
    out += bytes;
    return {};
  };
  EXPECT_TRUE(content.append(sent, keep).ok() && content.finish().ok());
  EXPECT_EQ(out, small);
  EXPECT_EQ(ask(contents_, "?compression=gzip").reason(), "COMPRESSION_UNSUPPORTED");
}

TEST_F(BundleOfARun, IsNoWayToOtherBlobs) {
  ASSERT_TRUE(blobs_.put("another's").ok());
  EXPECT_EQ(ask({contents_[0], "another's"}).reason(), "BLOB_NOT_FOUND");
  EXPECT_EQ(ask({"nowhere"}).reason(), "BLOB_NOT_FOUND");
}

TEST_F(BundleOfARun, LeavesOutWhatIsDamaged) {
  const std::string digest = crypto::sha256_hex(contents_[0]);
  const std::string path = folder_ / cat("blobs/", digest.substr(0, 2), "/", digest);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  folder_.write(cat("blobs/", digest.substr(0, 2), "/", digest), "two");
  EXPECT_EQ(ask(contents_).text, frame(contents_[1]) + frame(contents_[2]));
}

}  // namespace
}  // namespace paddock::api
