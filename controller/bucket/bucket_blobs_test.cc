#include "controller/bucket/bucket_blobs.h"

#include <chrono>
#include <limits>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "controller/bucket/bucket_test_support.h"

namespace paddock::bucket {
namespace {

using cas::Digest;
using cas::Durability;
using test::answer;
using test::FakeS3;
using test::HttpAnswer;
using test::HttpRequest;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kEver = std::numeric_limits<int64_t>::max();

class BucketBlobsTest : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() { blobs_ = host_.open_listed(server_, clock_).value(); }
  void open_with_empty_cache() {
    blobs_.reset();
    host_.forget_cache();
    open();
  }
  // As one that takes over, while the bucket does not tell what it has.
  void open_unlisted() {
    blobs_.reset();
    host_.forget_cache();
    server_.set_fault([](const HttpRequest& request) {
      const bool lists = request.target.find("prefix=p%2Fblobs") != std::string::npos;
      return lists ? std::optional(FakeS3::error(503, "SlowDown")) : std::nullopt;
    });
    blobs_ = host_.open(server_, clock_).value();
  }
  void fail(const std::string& method, const HttpAnswer& reply) {
    server_.set_fault([method, reply](const HttpRequest& request) {
      return request.method == method ? std::optional(reply) : std::nullopt;
    });
  }
  // Only whole objects of blobs, so that claims and lists stay as they are.
  void answer_get(const HttpAnswer& reply) {
    server_.set_fault([reply](const HttpRequest& request) {
      const bool meant =
          request.method == "GET" && request.target.find("/blobs/") != std::string::npos;
      return meant ? std::optional(reply) : std::nullopt;
    });
  }
  Status send(const std::string& bytes, Durability durability) {
    const auto size = static_cast<int64_t>(bytes.size());
    ASSIGN_OR_RETURN(auto writer, blobs_->begin(crypto::sha256_hex(bytes), size, durability));
    TRY(writer.append(bytes));
    return writer.commit();
  }
  std::string read(const Digest& digest) {
    const auto text = blobs_->read(digest, 1 << 20);
    return text ? *text : text.error().reason.str();
  }
  size_t count(const std::string& method) const {
    size_t out = 0;
    for (const HttpRequest& each : server_.requests()) out += each.method == method ? 1 : 0;
    return out;
  }

  ManualClock clock_;
  FakeS3 server_;
  Host host_;
  std::unique_ptr<BucketBlobs> blobs_;
};

TEST_F(BucketBlobsTest, ACacheThatIsEmptiedWhileItIsInUseBeginsAnew) {
  const Digest digest = blobs_->put("content").value();
  host_.forget_cache();
  EXPECT_EQ(read(digest), "content");
  host_.forget_cache();
  EXPECT_TRUE(blobs_->put("more").ok());
}

TEST_F(BucketBlobsTest, WhatIsKnownCostsNoRequest) {
  const Digest digest = blobs_->put("content").value();
  const size_t before = server_.requests().size();
  EXPECT_TRUE(blobs_->has(digest));
  EXPECT_TRUE(blobs_->use(digest));
  EXPECT_EQ(blobs_->size(digest).value(), 7);
  EXPECT_FALSE(blobs_->use(crypto::sha256_hex("another")));
  EXPECT_EQ(read(digest), "content");  // from the cache
  EXPECT_TRUE(send("content", Durability::kNow).ok());
  EXPECT_EQ(server_.requests().size(), before);
}

TEST_F(BucketBlobsTest, AnUploadThatTheBucketRefusesIsNotHereAndSaysWhy) {
  fail("PUT", FakeS3::error(507, "QuotaExceeded"));
  const Status full = send("content", Durability::kNow);
  EXPECT_EQ(full.error().reason, "BUCKET_FULL");
  EXPECT_EQ(full.error().code, Code::kUnavailable);
  EXPECT_FALSE(blobs_->use(crypto::sha256_hex("content")));
  EXPECT_EQ(blobs_->growth(), 0);
  server_.set_fault({});
  EXPECT_TRUE(send("content", Durability::kNow).ok());
  EXPECT_TRUE(blobs_->use(crypto::sha256_hex("content")));
}

// Whoever sends many files for later hears of a failure when it sends them again.
TEST_F(BucketBlobsTest, WhatFailedForLaterIsAskedForAgainAndThenSaysWhy) {
  fail("PUT", FakeS3::error(403, "AccessDenied"));
  EXPECT_TRUE(send("content", Durability::kLater).ok());
  EXPECT_FALSE(blobs_->use(crypto::sha256_hex("content")));  // waits for the outcome
  EXPECT_EQ(send("content", Durability::kLater).error().reason, "BUCKET_DENIED");
  server_.set_fault({});
  EXPECT_TRUE(send("content", Durability::kLater).ok());
  EXPECT_TRUE(blobs_->use(crypto::sha256_hex("content")));
}

TEST_F(BucketBlobsTest, ManyForLaterAreAllThereOnceTheyAreSeen) {
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(send(cat("content ", i), Durability::kLater).ok());
  for (int i = 0; i < 200; ++i)
    EXPECT_TRUE(blobs_->use(crypto::sha256_hex(cat("content ", i)))) << i;
  open_with_empty_cache();
  EXPECT_EQ(blobs_->list().value().size(), 200U);
}

TEST_F(BucketBlobsTest, AnotherContentThanWasStoredIsNeverServed) {
  const Digest digest = blobs_->put("content").value();
  const std::vector<HttpAnswer> lies = {
      answer(200, "CONTENT"),                               // as long
      answer(200, "con"),                                   // shorter
      answer(200, "content and more"),                      // longer
      answer(200, "<Error><Code>SlowDown</Code></Error>"),  // an error that is none
      {test::chunked_head() + test::chunk("con") + test::chunk("")}};
  for (const HttpAnswer& lie : lies) {
    server_.set_fault({});
    EXPECT_TRUE(send("content", Durability::kNow).ok());  // it was asked for again
    open_with_empty_cache();
    answer_get(lie);
    const auto wrong = blobs_->open_blob(digest);
    EXPECT_EQ(wrong.error().reason, "BUCKET_CONTENT_WRONG");
    EXPECT_EQ(wrong.error().code, Code::kUnavailable);
    EXPECT_FALSE(blobs_->use(digest));
    clock_.advance(Millis(3'600'000));
    EXPECT_TRUE(blobs_->list().ok());  // which still names it
    EXPECT_FALSE(blobs_->use(digest));
  }
}

TEST_F(BucketBlobsTest, AnEndlessBodyEnds) {
  const Digest digest = blobs_->put("content").value();
  open_with_empty_cache();
  answer_get({test::chunked_head() + test::chunk(std::string(1 << 20, 'x'))});
  EXPECT_EQ(read(digest), "BUCKET_CONTENT_WRONG");
}

TEST_F(BucketBlobsTest, ASilentServerIsGivenUpAndTheBlobStays) {
  const Digest digest = blobs_->put("content").value();
  open_with_empty_cache();
  answer_get({""});
  EXPECT_EQ(read(digest), "BUCKET_SLOW");
  EXPECT_TRUE(blobs_->use(digest));
  server_.set_fault({});
  EXPECT_EQ(read(digest), "content");
}

TEST_F(BucketBlobsTest, AConnectionThatBreaksIsGoneOnFromThere) {
  const std::string content = "first half, second half";
  const Digest digest = blobs_->put(content).value();
  open_with_empty_cache();
  server_.set_fault([n = 0](const HttpRequest& request) mutable -> std::optional<HttpAnswer> {
    if (request.method != "GET" || n++ > 0) return std::nullopt;
    return HttpAnswer{"HTTP/1.1 200 OK\r\nContent-Length: 23\r\n\r\nfirst half,", true};
  });
  EXPECT_EQ(read(digest), content);
  EXPECT_EQ(server_.requests().back().headers.at("range"), "bytes=11-");
}

TEST_F(BucketBlobsTest, WhatTheBucketLostIsAskedForAgain) {
  const Digest read_first = blobs_->put("read first").value();
  const Digest listed_first = blobs_->put("listed first").value();
  open_with_empty_cache();
  server_.lose(read_first);
  server_.lose(listed_first);
  EXPECT_TRUE(blobs_->use(read_first));  // nobody knows yet
  EXPECT_EQ(read(read_first), "BLOB_NOT_FOUND");
  EXPECT_FALSE(blobs_->use(read_first));
  clock_.advance(Millis(3'600'000));
  EXPECT_TRUE(blobs_->list().ok());
  EXPECT_FALSE(blobs_->use(listed_first));
  EXPECT_EQ(blobs_->put("read first").value(), read_first);
  EXPECT_EQ(read(read_first), "read first");
}

TEST_F(BucketBlobsTest, ADamagedCopyIsBroughtAnew) {
  const Digest digest = blobs_->put("content").value();
  const std::string path = host_.cached(digest);
  EXPECT_TRUE(os::write_file_atomic(path, "CONTENT", 0444).ok());
  EXPECT_EQ(read(digest), "content") << "it is compared with its digest";
  EXPECT_TRUE(os::write_file_atomic(path, "CONTENT", 0444).ok());
  EXPECT_TRUE(blobs_->discard_damaged(digest));
  EXPECT_FALSE(os::read_file(path).ok());
}

TEST_F(BucketBlobsTest, ASecondControllerIsRefusedAndHarmsNothing) {
  const Digest digest = blobs_->put("content").value();
  Host other;
  const auto refused = other.open(server_, clock_);
  EXPECT_EQ(refused.error().reason, "BUCKET_TAKEN");
  open();  // the first one may start again
  EXPECT_EQ(read(digest), "content");
}

TEST_F(BucketBlobsTest, NothingIsRemovedOnceAnotherClaimsIt) {
  const Digest digest = blobs_->put("content").value();
  server_.add_object("p/claims/0123", "another");
  clock_.advance(Millis(60'000));
  EXPECT_EQ(blobs_->remove_unused(digest, kEver).error().reason, "BUCKET_TAKEN");
  server_.lose("claims/0123");
  EXPECT_TRUE(blobs_->remove_unused(digest, kEver).value());
  EXPECT_THAT(server_.keys(), testing::SizeIs(1));  // the claim
}

TEST_F(BucketBlobsTest, NothingIsRemovedOnceItsClaimIsGone) {
  const Digest digest = blobs_->put("content").value();
  for (const std::string& key : server_.keys())
    if (key.find("claims/") != std::string::npos) server_.lose(key);
  clock_.advance(Millis(60'000));
  EXPECT_EQ(blobs_->remove_unused(digest, kEver).error().reason, "BUCKET_TAKEN");
  EXPECT_TRUE(blobs_->has(digest));
}

TEST_F(BucketBlobsTest, TheCacheIsBoundedAndSmallFilesStayInIt) {
  blobs_.reset();
  blobs_ = host_.open(server_, clock_, 1'000'000).value();
  const Digest small = blobs_->put("small").value();
  std::vector<Digest> large;
  for (const char each : {'a', 'b', 'c', 'd'})
    large.push_back(blobs_->put(std::string(400'000, each)).value());
  const auto cached = [&] {
    return std::ranges::count_if(
        large, [&](const Digest& each) { return os::exists(host_.cached(each)); });
  };
  EXPECT_LE(cached(), 2);
  EXPECT_TRUE(os::exists(host_.cached(small)));
  for (const Digest& each : large) EXPECT_EQ(read(each).size(), 400'000U);
  EXPECT_LE(cached(), 2);
}

TEST_F(BucketBlobsTest, AnUploadUnderWayIsNotEndedByACalendarThatLeapt) {
  const auto minutes = [&](int count) {
    clock_.advance(std::chrono::minutes(count));
    EXPECT_TRUE(blobs_->list().ok());
  };
  server_.add_upload("one", "p/blobs/one", clock_.wall());
  clock_.skew_wall(std::chrono::hours(24 * 365));
  minutes(2);
  EXPECT_EQ(server_.uploads(), 1U);
  minutes(30);
  EXPECT_EQ(server_.uploads(), 1U);
  clock_.skew_wall(-std::chrono::hours(24 * 365));  // set right
  minutes(60);
  EXPECT_EQ(server_.uploads(), 1U);
  minutes(24 * 60);
  EXPECT_EQ(server_.uploads(), 0U) << "it is a day old by all clocks";
}

TEST_F(BucketBlobsTest, WhatIsNotThereAtTheStartIsSaid) {
  blobs_.reset();
  fail("GET", FakeS3::error(404, "NoSuchBucket"));
  EXPECT_EQ(host_.open(server_, clock_).error().reason, "BUCKET_NOT_FOUND");
}

TEST_F(BucketBlobsTest, BeforeItsListHasComeEachBlobIsAskedFor) {
  const Digest digest = blobs_->put("content").value();
  const Digest other = blobs_->put("other").value();
  open_unlisted();
  EXPECT_EQ(blobs_->list().error().reason, "BUCKET_BUSY");
  EXPECT_FALSE(blobs_->has(digest)) << "it asks nobody";
  EXPECT_TRUE(blobs_->use(digest));
  EXPECT_TRUE(blobs_->has(digest));
  EXPECT_EQ(blobs_->size(other).value(), 5);
  EXPECT_EQ(read(digest), "content");
  EXPECT_FALSE(blobs_->use(crypto::sha256_hex("another")));
  EXPECT_EQ(blobs_->size(crypto::sha256_hex("another")).error().reason, "BLOB_NOT_FOUND");
  EXPECT_EQ(blobs_->growth(), 0) << "what was found was there";
  const size_t stored = count("PUT");
  EXPECT_TRUE(send("content", Durability::kNow).ok());
  EXPECT_EQ(count("PUT"), stored);
  EXPECT_TRUE(send("new", Durability::kNow).ok());
  EXPECT_EQ(blobs_->growth(), 3);
  EXPECT_FALSE(blobs_->remove_unused(other, clock_.wall().ms / 1000 - 1).value());
  server_.set_fault({});
  EXPECT_EQ(blobs_->list().value().size(), 3U);
  EXPECT_EQ(blobs_->growth(), 3);
  const size_t asked = server_.requests().size();
  EXPECT_FALSE(blobs_->use(crypto::sha256_hex("another")));
  EXPECT_EQ(server_.requests().size(), asked) << "it is known from now on";
}

TEST_F(BucketBlobsTest, WhatABucketDoesNotTellIsNotTakenAsMissing) {
  const Digest digest = blobs_->put("content").value();
  open_unlisted();
  fail("HEAD", HttpAnswer{"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n"});
  EXPECT_EQ(blobs_->size(digest).error().reason, "BUCKET_BUSY");
  EXPECT_FALSE(blobs_->use(digest)) << "it is sent, and its sender hears why not";
  EXPECT_EQ(blobs_->remove_unused(digest, kEver).error().reason, "BUCKET_BUSY");
}

// A put that answers late: who asks for the same blob waits, others do not.
TEST_F(BucketBlobsTest, OneSlowBlobKeepsNobodyElse) {
  const Digest digest = blobs_->put("content").value();
  server_.set_fault([](const HttpRequest& request) -> std::optional<HttpAnswer> {
    return request.method == "PUT" ? std::optional(HttpAnswer{""}) : std::nullopt;
  });
  EXPECT_TRUE(send("slow", Durability::kLater).ok());
  EXPECT_EQ(read(digest), "content");
  EXPECT_TRUE(blobs_->use(digest));
  EXPECT_FALSE(blobs_->use(crypto::sha256_hex("slow")));
}

TEST(ChoosingWhatToDrop, LargeOnesFirstByTheirLastUse) {
  using Stored = cas::Blobs::Stored;
  const std::vector<Stored> all = {Stored{"small-old", 10, 1}, Stored{"new", 1 << 20, 9},
                                   Stored{"old", 1 << 20, 2}, Stored{"small-new", 10, 3}};
  EXPECT_THAT(choose_to_drop(all, 0), IsEmpty());
  EXPECT_THAT(choose_to_drop(all, 1), ElementsAre("old"));
  EXPECT_THAT(choose_to_drop(all, kEver), ElementsAre("old", "new", "small-old", "small-new"));
}

}  // namespace
}  // namespace paddock::bucket
