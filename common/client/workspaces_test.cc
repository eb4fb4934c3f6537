// The upload of a workspace.
#include <algorithm>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/cas/bundle.h"
#include "common/client/client_test_support.h"
#include "common/client/controller_client.h"
#include "common/compression/compression.h"
#include "common/contracts/tree_claim.h"
#include "common/crypto/digest.h"
#include "common/wire/json.h"
#include "tests/support/http_server.h"
#include "tests/support/temp_dir.h"

namespace paddock::client {
namespace {

using test::answer;
using test::HttpAnswer;
using test::HttpRequest;
using test::HttpServer;
using testing::HasSubstr;

// As much of a controller as an upload needs.
struct FakeStore {
  std::set<std::string> blobs;
  std::string root_of_tree;  // overrides the right one
  std::vector<std::string> compressions = {"zstd"};
  int compressed = 0;
  int bundles = 0;
  int most = 1'000'000;
  int offers = 0;
  std::string stored;              // the root of the tree that is here whole
  std::vector<std::string> tried;  // bodies of dry runs
  std::optional<Error> refusal;    // of a dry run
  size_t blobs_then = 0;           // what was there when one was tried
  HttpAnswer try_run(const std::string& body) {
    tried.push_back(body);
    blobs_then = blobs.size();
    return refusal ? error_answer(*refusal) : answer(201, "{}");
  }
  HttpAnswer operator()(const HttpRequest& request) {
    if (request.target == cat(kBase, "/namespaces/ns/runs?dryRun=All"))
      return try_run(request.body);
    const std::string workspaces = cat(kBase, "/namespaces/ns/workspaces");
    if (request.target == workspaces) {
      return error_answer({Code::kAlreadyExists, "RUN_ALREADY_EXISTS", "it is there"});
    }
    if (request.target == workspaces + "/w/tree") return tree(request.body);
    if (request.target.starts_with(workspaces + "/w/blobs") && request.method == "POST")
      return bundle(request);
    const std::string prefix = workspaces + "/w/blobs/";
    if (request.method != "PUT" || !request.target.starts_with(prefix)) return answer(404);
    const std::string digest = request.target.substr(prefix.size(), 64);
    const std::string query = request.target.substr(prefix.size() + 64);
    if (query.empty() ? crypto::sha256_hex(request.body) != digest
                      : !holds(request.body, query, digest)) {
      return error_answer(invalid_argument("DIGEST_MISMATCH", "not the blob"));
    }
    blobs.insert(digest);
    return answer(200, "{}");
  }
  // As many as it says, one after the other; `most` of them in all.
  HttpAnswer bundle(const HttpRequest& request) {
    bundles += 1;
    std::string bytes = request.body;
    const std::string_view start = "/w/blobs?compression=zstd&size=";
    if (const size_t at = request.target.find(start); at != std::string::npos) {
      compressed += 1;
      compression::Decompressor content(
          *parse_integer<int64_t>(request.target.substr(at + start.size())));
      bytes.clear();
      const auto add = [&](std::string_view piece) -> Status {
        bytes += piece;
        return {};
      };
      if (!content.append(request.body, add) || !content.finish()) return answer(400);
    }
    cas::BundleReader reader;
    const auto keep = [&](const std::string& digest, std::string_view content) -> Status {
      if (most-- <= 0) return Error{Code::kTooLarge, "NAMESPACE_QUOTA_EXCEEDED", "no room"};
      if (crypto::sha256_hex(content) != digest)
        return invalid_argument("DIGEST_MISMATCH", "not the blob");
      blobs.insert(digest);
      return {};
    };
    const Status read = reader.append(bytes, keep);
    return read && reader.finish() ? answer(201, "{}") : error_answer(read.error());
  }
  // A compressed body, with its own size in the query.
  bool holds(const std::string& body, const std::string& query, const std::string& digest) {
    compressed += 1;
    const std::string_view start = "?compression=zstd&size=";
    if (!query.starts_with(start)) return false;
    compression::Decompressor content(*parse_integer<int64_t>(query.substr(start.size())));
    std::string bytes;
    const auto take = [&](std::string_view piece) -> Status {
      bytes += piece;
      return {};
    };
    return content.append(body, take) && content.finish() && crypto::sha256_hex(bytes) == digest;
  }
  void lose_all() {
    blobs.clear();
    stored.clear();
  }
  HttpAnswer tree(const std::string& body) {
    const wire::Value document = *wire::parse_json(body);
    contracts::TreeAnswer out;
    if (const auto claim = wire::decode<contracts::TreeClaim>(document)) {
      out.root = claim->root;
      out.stored = claim->root == stored;
      return answer(200, wire::encode_json(out));
    }
    offers += 1;
    const contracts::Tree offered = *wire::decode<contracts::Tree>(document);
    out.compressions = compressions;
    out.root = root_of_tree.empty() ? cas::tree_root(offered) : root_of_tree;
    std::set<std::string> missing;
    for (const contracts::TreeEntry& entry : offered.entries) {
      if (!blobs.contains(entry.digest)) missing.insert(entry.digest);
    }
    out.missing.assign(missing.begin(), missing.end());
    out.stored = missing.empty();
    if (out.stored) stored = out.root;
    return answer(200, wire::encode_json(out));
  }
};

class Upload : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 20; ++i) project_.write(cat("folder/", i), cat("content ", i));
    project_.write("empty", "");
    project_.write("copy", "content 3");
    scan_ = *cas::scan_folder(project_.path());
  }
  Result<UploadProgress> upload(ControllerClient& client) {
    return client.upload_workspace("ns", "w", project_.path(), scan_, {});
  }
  test::TempDir project_;
  cas::Scan scan_;
  FakeStore store_;
  HttpServer server_{[this](const HttpRequest& request) { return store_(request); }};
  ControllerClient client_{{server_.url(), {}, {}, {}}};
};

TEST_F(Upload, SendsEachMissingBlobOnceAndNothingTheSecondTime) {
  std::vector<int64_t> sent;
  const Result<UploadProgress> first = client_.upload_workspace(
      "ns", "w", project_.path(), scan_,
      [&](const UploadProgress& progress) { sent.push_back(progress.blobs_sent); });
  ASSERT_TRUE(first.ok()) << first.error().describe();
  EXPECT_EQ(first->blobs_sent, 21);
  EXPECT_EQ(first->blobs_total, 21);
  EXPECT_EQ(first->bytes_sent, first->bytes_total);
  EXPECT_EQ(sent.back(), 21);
  const Result<UploadProgress> second = upload(client_);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->bytes_sent, 0);
  EXPECT_EQ(second->blobs_sent, 0);
  EXPECT_EQ(store_.offers, 2);  // both of the first time: a tree that is there is only named
}

class GatedUpload : public Upload {
 protected:
  Result<UploadProgress> upload_for_run() {
    const UploadGate gate{
        [](const contracts::TreeEntry& file) { return file.path == "requirements.txt"; },
        [this] {
          return client_.try_run("ns", wire::Value::Object{{"kind", "Run"}}, scan_.tree);
        }};
    return client_.upload_workspace("ns", "w", project_.path(), scan_, {}, gate);
  }
};

TEST_F(GatedUpload, SendsNothingForARunThatWouldBeRefused) {
  store_.refusal = invalid_argument("TIMEOUT_OVER_CEILING", "too long", "spec.timeout");
  const Result<UploadProgress> done = upload_for_run();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().reason, "TIMEOUT_OVER_CEILING");
  EXPECT_EQ(done.error().causes.at(0).field, "spec.timeout");
  EXPECT_TRUE(store_.blobs.empty());
  ASSERT_EQ(store_.tried.size(), 1U);
  EXPECT_THAT(store_.tried[0], HasSubstr("folder/7"));
}

TEST_F(GatedUpload, AsksOnceWhatIsReadFirstIsThereAndNotAtAllWhereNothingIsMissing) {
  project_.write("requirements.txt", "numpy==1.26.3");
  scan_ = *cas::scan_folder(project_.path());
  const Result<UploadProgress> done = upload_for_run();
  ASSERT_TRUE(done.ok()) << done.error().describe();
  EXPECT_EQ(store_.tried.size(), 1U);
  EXPECT_EQ(store_.blobs_then, 1U);
  EXPECT_EQ(done->blobs_sent, 22);
  EXPECT_EQ(done->bytes_sent, done->bytes_total);
  ASSERT_TRUE(upload_for_run().ok());
  EXPECT_EQ(store_.tried.size(), 1U);
}

TEST_F(GatedUpload, GoesOnWhereAnEarlierControllerCannotBeAsked) {
  store_.refusal = invalid_argument("UNKNOWN_FIELD", "there is no such field", "tree");
  EXPECT_TRUE(upload_for_run().ok());
  EXPECT_EQ(store_.blobs.size(), 21U);
}

TEST_F(GatedUpload, NamesNoFilesWhereTheirNamesWouldBeTooMuch) {
  for (int i = 0; i < 12'000; ++i) {
    contracts::TreeEntry entry = scan_.tree.entries.back();
    entry.path = cat(std::string(120, 'z'), i);
    scan_.tree.entries.push_back(entry);
  }
  EXPECT_TRUE(client_.try_run("ns", wire::Value::Object{{"kind", "Run"}}, scan_.tree).ok());
  EXPECT_EQ(store_.tried.at(0), R"({"kind":"Run","tree":null})");
}

TEST_F(Upload, ManySmallFilesGoInOneRequestWhereTheServerTakesThem) {
  store_.compressions = {"zstd", "bundle"};
  project_.write("large", std::string(cas::kBundledBlob + 1, 'a'));
  scan_ = *cas::scan_folder(project_.path());
  for (const bool compress : {false, true}) {
    store_.lose_all();
    client_.set_compress(compress);
    const Result<UploadProgress> done = upload(client_);
    ASSERT_TRUE(done.ok()) << done.error().describe();
    EXPECT_EQ(done->blobs_sent, 22);
    EXPECT_EQ(done->bytes_sent, done->bytes_total);
    EXPECT_EQ(std::exchange(store_.bundles, 0), 1);
    EXPECT_EQ(store_.compressed, compress ? 2 : 0) << "the bundle, and the large one";
  }
}

TEST_F(Upload, WhatAnEndedBundleBroughtIsNotSentAgain) {
  store_.compressions = {"bundle"};
  store_.most = 10;
  const Result<UploadProgress> full = upload(client_);
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().reason, "NAMESPACE_QUOTA_EXCEEDED");
  store_.most = 1'000;
  const Result<UploadProgress> rest = upload(client_);
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(rest->blobs_sent, 11);
}

TEST_F(Upload, SaysWhichFileOfABundleChanged) {
  store_.compressions = {"bundle"};
  for (const std::string& content : {std::string("short"), std::string("CONTENT 7")}) {
    project_.write("folder/7", content);
    const Result<UploadProgress> done = upload(client_);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().reason, "FILE_CHANGED");
    EXPECT_THAT(done.error().message, HasSubstr("folder/7"));
  }
}

TEST_F(Upload, ALargeFileIsNoSingleStep) {
  constexpr int64_t kSize = int64_t{16} << 20;
  project_.write("large", std::string(kSize, 'a'));
  scan_ = *cas::scan_folder(project_.path());
  for (const bool compress : {false, true}) {
    store_.lose_all();
    client_.set_compress(compress);
    std::vector<int64_t> steps;
    const Result<UploadProgress> done = client_.upload_workspace(
        "ns", "w", project_.path(), scan_,
        [&](const UploadProgress& now) { steps.push_back(now.bytes_sent); });
    ASSERT_TRUE(done.ok()) << done.error().describe();
    EXPECT_TRUE(std::ranges::is_sorted(steps));
    EXPECT_EQ(steps.back(), done->bytes_total);
    if (compress) continue;  // its few bytes are one piece
    EXPECT_GT(std::ranges::count_if(steps, [](int64_t at) { return at > 100'000 && at < kSize; }),
              8);
    EXPECT_LT(steps.size(), 50U) << "one for each blob, and for a hundredth or a MiB";
  }
}

TEST_F(Upload, CompressesWhatGetsSmallerOnTheWayToAnotherHost) {
  project_.write("large", std::string(100'000, 'a'));
  scan_ = *cas::scan_folder(project_.path());
  ASSERT_TRUE(upload(client_).ok());
  EXPECT_EQ(store_.compressed, 0);  // a loopback address: nothing to win

  store_.lose_all();
  client_.set_compress(true);
  ASSERT_TRUE(upload(client_).ok());
  EXPECT_EQ(store_.compressed, 1);

  store_.lose_all();
  store_.compressions.clear();  // a server that does not know how
  ASSERT_TRUE(upload(client_).ok());
  EXPECT_EQ(store_.compressed, 1);
}

TEST_F(Upload, UsesSeveralLanesWhenItIsGivenThreads) {
  client_.set_parallel([](const std::vector<std::function<void()>>& tasks) {
    std::vector<std::thread> threads;
    for (const auto& task : tasks) threads.emplace_back(task);
    for (std::thread& thread : threads) thread.join();
  });
  const Result<UploadProgress> done = upload(client_);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->blobs_sent, 21);
}

TEST_F(Upload, SaysWhichFileChangedMeanwhile) {
  for (const std::string& content : {std::string("other size of it"), std::string("CONTENT 7")}) {
    project_.write("folder/7", content);
    const Result<UploadProgress> done = upload(client_);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().reason, "FILE_CHANGED");
    EXPECT_THAT(done.error().message, HasSubstr("folder/7"));
    EXPECT_THAT(done.error().message, Not(HasSubstr(project_.path())));
  }
}

TEST_F(Upload, RefusesARootThatIsNotItsOwn) {
  store_.root_of_tree = std::string(64, '0');
  EXPECT_EQ(upload(client_).error().reason, "ROOT_MISMATCH");
}

}  // namespace
}  // namespace paddock::client
