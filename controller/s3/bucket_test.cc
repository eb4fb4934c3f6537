#include "controller/s3/bucket.h"

#include <fcntl.h>

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "tests/support/fake_s3.h"
#include "tests/support/temp_dir.h"

namespace paddock::s3 {
namespace {

using test::answer;
using test::FakeS3;
using test::HttpAnswer;
using test::HttpRequest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kKeys =
    "[default]\naws_access_key_id = id\naws_secret_access_key = very-secret\n";

class BucketTest : public testing::Test {
 protected:
  BucketTest() { folder_.write("keys", kKeys, 0600); }

  BucketSettings settings() const {
    BucketSettings out;
    out.endpoint = server_.url();
    out.bucket = "bucket";
    out.prefix = "a b/";
    out.credentials_file = folder_ / "keys";
    out.transfers = 2;
    out.silence = std::chrono::minutes(1);  // a busy machine is no silent server
    out.part = 1000;
    out.first_retry = Millis(1);
    return out;
  }
  Status put(const Bucket& bucket, const std::string& bytes) {
    folder_.write("body", bytes);
    const os::Fd file(::open((folder_ / "body").c_str(), O_RDONLY | O_CLOEXEC));
    return bucket.put(
        "key", {file.get(), 0, static_cast<int64_t>(bytes.size()), crypto::sha256_hex(bytes)});
  }
  static Result<std::string> get(const Bucket& bucket, int64_t from = 0) {
    std::string out;
    TRY(bucket.get("key", from, 1000, [&](std::string_view piece) {
      out += piece;
      return true;
    }));
    return out;
  }
  // The next `count` requests of a method are answered so.
  void answer_next(int count, const std::string& method, const HttpAnswer& reply) {
    server_.set_fault([count, method, reply](const HttpRequest& request) mutable {
      const bool meant = request.method == method && count > 0;
      if (meant) --count;
      return meant ? std::optional(reply) : std::nullopt;
    });
  }
  static std::string reason(const Status& status) {
    return status.ok() ? "" : status.error().reason.str();
  }

  test::TempDir folder_;
  FakeS3 server_;
  const ManualClock clock_;
};

TEST_F(BucketTest, StoresReadsListsAndRemovesBelowItsPrefix) {
  const Bucket bucket(settings(), clock_);
  EXPECT_TRUE(bucket.check().ok());
  EXPECT_TRUE(put(bucket, "content").ok());
  EXPECT_THAT(server_.keys(), ElementsAre("a b/key"));
  EXPECT_EQ(bucket.size("key").value(), 7);
  EXPECT_EQ(get(bucket).value(), "content");
  EXPECT_EQ(get(bucket, 3).value(), "tent");
  std::vector<std::string> listed;
  EXPECT_TRUE(bucket
                  .list("",
                        [&](const auto& page) -> Status {
                          for (const Object& each : page) listed.push_back(each.key);
                          return {};
                        })
                  .ok());
  EXPECT_THAT(listed, ElementsAre("key"));
  EXPECT_TRUE(bucket.remove("key").ok());
  EXPECT_TRUE(bucket.remove("key").ok());
  EXPECT_EQ(bucket.size("key").error().reason, "OBJECT_NOT_FOUND");
}

TEST_F(BucketTest, SignsEachRequestWithTheDigestAndShowsNoSecret) {
  EXPECT_TRUE(put(Bucket(settings(), clock_), "content").ok());
  for (const HttpRequest& each : server_.requests()) {
    EXPECT_THAT(each.headers.at("authorization"), HasSubstr("AWS4-HMAC-SHA256 Credential=id/"));
    for (const auto& [name, value] : each.headers)
      EXPECT_THAT(value, Not(HasSubstr("very-secret")));
  }
  const HttpRequest first = server_.requests().front();
  EXPECT_EQ(first.target, "/bucket/a%20b/key");
  EXPECT_EQ(first.headers.at("x-amz-content-sha256"), crypto::sha256_hex("content"));
}

TEST_F(BucketTest, ALargeObjectGoesInPartsThatAreHandedBackByTheirTags) {
  const Bucket bucket(settings(), clock_);
  const std::string large = std::string(1000, 'a') + std::string(1000, 'b') + "c";
  EXPECT_TRUE(put(bucket, large).ok());
  EXPECT_EQ(get(bucket).value(), large);
  EXPECT_EQ(server_.uploads(), 0U);
  const auto all = server_.requests();
  const auto completes = [](const HttpRequest& each) {
    return each.method == "POST" && each.target.find("uploadId") != std::string::npos;
  };
  const auto complete = std::ranges::find_if(all, completes);
  ASSERT_NE(complete, all.end());
  EXPECT_THAT(complete->body, HasSubstr("<ETag>\"tag&lt;3&gt;\"</ETag>"));
}

// The status of a completed upload is sent before it is known what becomes of it.
TEST_F(BucketTest, ACompletionThatIsAnErrorIsNoSuccess) {
  const Bucket bucket(settings(), clock_);
  server_.set_fault([](const HttpRequest& request) {
    const bool completes =
        request.method == "POST" && request.target.find("uploadId") != std::string::npos;
    return completes ? std::optional(FakeS3::error(200, "InternalError")) : std::nullopt;
  });
  EXPECT_EQ(reason(put(bucket, std::string(1500, 'x'))), "BUCKET_FAILED");
  EXPECT_THAT(server_.keys(), ElementsAre());
  EXPECT_EQ(server_.uploads(), 0U);  // ended
}

TEST_F(BucketTest, EndsOldUploadsAlone) {
  const Bucket bucket(settings(), clock_);
  server_.add_upload("old", "a b/x", {1'000});
  server_.add_upload("new", "a b/y", {9'000'000});
  server_.add_upload("other", "another/x", {1'000});
  EXPECT_EQ(bucket.abort_uploads({5'000'000}).value(), 1);
  EXPECT_EQ(server_.uploads(), 2U);
}

TEST_F(BucketTest, WhatTheServerDoesNotConfirmIsNotStored) {
  const Bucket bucket(settings(), clock_);
  answer_next(1, "PUT", answer(200));  // and forgets it
  EXPECT_EQ(reason(put(bucket, "content")), "BUCKET_BAD_ANSWER");
  answer_next(1, "PUT", answer(200, "", "x-amz-checksum-sha256: AAAA\r\n"));
  EXPECT_EQ(reason(put(bucket, "content")), "BUCKET_BAD_ANSWER");
  server_.set_fault([](const HttpRequest& request) -> std::optional<HttpAnswer> {
    if (request.method != "HEAD") return std::nullopt;
    return HttpAnswer{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"};
  });
  EXPECT_EQ(reason(put(bucket, "content")), "BUCKET_BAD_ANSWER");
}

TEST_F(BucketTest, ABusyServerIsAskedAgainAFewTimes) {
  const Bucket bucket(settings(), clock_);
  answer_next(2, "PUT", FakeS3::error(503, "SlowDown", "Retry-After: 0\r\n"));
  EXPECT_TRUE(put(bucket, "content").ok());
  answer_next(3, "PUT", FakeS3::error(503, "SlowDown"));
  const Status busy = put(bucket, "content");
  EXPECT_EQ(reason(busy), "BUCKET_BUSY");
  EXPECT_EQ(busy.error().code, Code::kUnavailable);
  answer_next(1, "PUT", {"", true});  // hangs up
  EXPECT_TRUE(put(bucket, "content").ok());
}

TEST_F(BucketTest, EachCauseHasItsReasonAndIsNoFaultOfTheClient) {
  const Bucket bucket(settings(), clock_);
  struct Row {
    int status;
    const char* code;
    const char* reason;
  };
  for (const Row& row : {Row{404, "NoSuchBucket", "BUCKET_NOT_FOUND"},
                         {403, "AccessDenied", "BUCKET_DENIED"},
                         {403, "SignatureDoesNotMatch", "BUCKET_DENIED"},
                         {400, "AuthorizationHeaderMalformed", "BUCKET_WRONG_REGION"},
                         {301, "PermanentRedirect", "BUCKET_WRONG_REGION"},
                         {307, "", "BUCKET_WRONG_REGION"},
                         {403, "RequestTimeTooSkewed", "BUCKET_CLOCK_SKEW"},
                         {507, "", "BUCKET_FULL"},
                         {403, "QuotaExceeded", "BUCKET_FULL"},
                         {500, "InternalError", "BUCKET_FAILED"},
                         {418, "<&", "BUCKET_FAILED"}}) {
    answer_next(3, "GET", FakeS3::error(row.status, row.code));
    const Status failed = bucket.check();
    EXPECT_EQ(reason(failed), row.reason) << row.status << row.code;
    EXPECT_EQ(failed.error().code, Code::kUnavailable);
  }
}

TEST_F(BucketTest, ASkewIsSeenByTheServersDate) {
  const Bucket bucket(settings(), clock_);
  answer_next(3, "GET", answer(403, "", "Date: Fri, 24 May 2013 00:00:00 GMT\r\n"));
  EXPECT_EQ(reason(bucket.check()), "BUCKET_CLOCK_SKEW");
}

TEST_F(BucketTest, WhatIsNoListIsNotTakenForOne) {
  const Bucket bucket(settings(), clock_);
  const auto page = [](const std::string& inside) {
    return answer(200, cat("<ListBucketResult>", inside, "</ListBucketResult>"));
  };
  for (const HttpAnswer& odd :
       {answer(200, "<html>"), answer(200, "<html></html>"), answer(200),
        answer(200, "<!DOCTYPE a [<!ENTITY b \"c\">]><ListBucketResult/>"),
        page("<Contents><Key>other/x</Key><Size>1</Size></Contents>"),
        page("<Contents><Key>a b/x</Key><Size>-1</Size>"
             "<LastModified>2026-01-01T00:00:00Z</LastModified></Contents>"),
        page("<Contents><Key>a b/x</Key><Size>9223372036854775807</Size>"
             "<LastModified>2026-01-01T00:00:00Z</LastModified></Contents>"),
        page("<IsTruncated>true</IsTruncated>"), answer(200, std::string(5 << 20, 'x'))}) {
    answer_next(3, "GET", odd);
    EXPECT_EQ(reason(bucket.list("", [](const auto&) { return Status(); })), "BUCKET_BAD_ANSWER");
  }
}

TEST_F(BucketTest, AListThatNeverEndsEnds) {
  const Bucket bucket(settings(), clock_);
  server_.set_fault([](const HttpRequest&) {
    return std::optional(
        answer(200,
               "<ListBucketResult><Contents><Key>a b/x</Key><Size>1</Size>"
               "<LastModified>2026-01-01T00:00:00Z</LastModified></Contents>"
               "<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>"
               "</ListBucketResult>"));
  });
  EXPECT_EQ(reason(bucket.list("", [](const auto&) { return Status(); })), "BUCKET_BAD_ANSWER");
}

TEST_F(BucketTest, ASilentServerIsGivenUp) {
  BucketSettings hasty = settings();
  hasty.silence = Millis(300);
  const Bucket bucket(hasty, clock_);
  answer_next(9, "GET", {""});
  EXPECT_EQ(reason(bucket.check()), "BUCKET_SLOW");
}

TEST_F(BucketTest, AnEndlessBodyEndsWhenItsReaderSaysSo) {
  const Bucket bucket(settings(), clock_);
  answer_next(1, "GET", {test::chunked_head() + test::chunk(std::string(100'000, 'x'))});
  size_t got = 0;
  EXPECT_TRUE(bucket
                  .get("key", 0, 10,
                       [&](std::string_view piece) {
                         got += piece.size();
                         return got <= 10;
                       })
                  .ok());
  EXPECT_GT(got, 10U);
}

TEST_F(BucketTest, AnotherRangeThanAskedForIsRefused) {
  const Bucket bucket(settings(), clock_);
  EXPECT_TRUE(put(bucket, "content").ok());
  answer_next(1, "GET", answer(200, "content"));
  EXPECT_EQ(get(bucket, 3).error().reason, "BUCKET_BAD_ANSWER");
  answer_next(1, "GET", answer(206, "ontent", "Content-Range: bytes 1-6/7\r\n"));
  EXPECT_EQ(get(bucket, 3).error().reason, "BUCKET_BAD_ANSWER");
}

TEST_F(BucketTest, RedirectsAreNotFollowed) {
  const Bucket bucket(settings(), clock_);
  const FakeS3 elsewhere;
  answer_next(3, "GET", answer(307, "", cat("Location: ", elsewhere.url(), "/x\r\n")));
  EXPECT_EQ(reason(bucket.check()), "BUCKET_WRONG_REGION");
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST_F(BucketTest, NobodyListens) {
  BucketSettings there = settings();
  there.endpoint = "http://127.0.0.1:1";
  EXPECT_EQ(reason(Bucket(there, clock_).check()), "BUCKET_UNREACHABLE");
}

TEST_F(BucketTest, AnotherProgramListens) {
  test::HttpServer mail([](const test::HttpRequest&) {
    return test::HttpAnswer{"220 mail\r\n", true};
  });
  BucketSettings there = settings();
  there.endpoint = mail.url();
  const Error error = Bucket(there, clock_).check().error();
  EXPECT_EQ(error.reason, "BUCKET_UNREACHABLE");
  EXPECT_NE(error.message.find("another protocol"), std::string::npos) << error.message;
}

TEST_F(BucketTest, StoppedItAnswersAtOnce) {
  const Bucket bucket(settings(), clock_);
  bucket.stop();
  EXPECT_EQ(reason(bucket.check()), "ABORTED");
}

TEST_F(BucketTest, CredentialsAreReadAnewAndMayBeNobodyElses) {
  const Bucket bucket(settings(), clock_);
  EXPECT_TRUE(bucket.check().ok());
  folder_.write("keys", "aws_access_key_id=new\naws_secret_access_key=s\naws_session_token=t\n",
                0600);
  EXPECT_TRUE(bucket.check().ok());
  EXPECT_THAT(server_.requests().back().headers.at("authorization"), HasSubstr("Credential=new/"));
  EXPECT_EQ(server_.requests().back().headers.at("x-amz-security-token"), "t");
  for (const char* bad : {"", "aws_access_key_id=a\n", "secret in a line", "[other]\na=b\n"}) {
    folder_.write("keys", bad, 0600);
    const Status refused = bucket.check();
    EXPECT_EQ(reason(refused), "BUCKET_CREDENTIALS");
    EXPECT_EQ(refused.error().code, Code::kUnavailable) << "whoever sends a blob sends it again";
    EXPECT_THAT(refused.error().message, Not(HasSubstr("secret in a line")));
  }
  folder_.write("keys", kKeys, 0644);
  EXPECT_EQ(reason(bucket.check()), "BUCKET_CREDENTIALS");
}

}  // namespace
}  // namespace paddock::s3
