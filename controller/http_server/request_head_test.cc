#include "controller/http_server/request_head.h"

#include <gtest/gtest.h>

#include "controller/http_server/chunk_decoder.h"
#include "controller/http_server/origin.h"
#include "controller/http_server/refusal.h"

namespace paddock::http_server {
namespace {

std::string reason(const Result<RequestHead>& result) {
  return result.ok() ? "" : result.error().reason.str();
}

TEST(RequestHead, TheEndIsFoundWhereverTheBytesWereCut) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (size_t cut = 0; cut <= head.size(); ++cut) {
    const std::string_view first = std::string_view(head).substr(0, cut);
    const auto early = find_head_end(first, 0, 1000);
    ASSERT_TRUE(early.ok());
    EXPECT_EQ(*early, cut == head.size() ? head.size() : 0);
    EXPECT_EQ(find_head_end(head + "GET /next", cut == head.size() ? 0 : cut, 1000).value(),
              head.size());
  }
}

TEST(RequestHead, BytesThatCanNeverBecomeAHeadAreRefusedAtOnce) {
  EXPECT_FALSE(find_head_end("GET / HTTP/1.1\n", 0, 1000).ok());
  EXPECT_FALSE(find_head_end("GET\r/", 0, 1000).ok());
  EXPECT_FALSE(find_head_end(std::string_view("GET\0/", 5), 0, 1000).ok());
  EXPECT_TRUE(find_head_end("GET\r", 0, 1000).ok());
  EXPECT_EQ(find_head_end(std::string(10, 'a'), 0, 10).error().reason, "TARGET_TOO_LONG");
  EXPECT_EQ(find_head_end("a\r\n" + std::string(10, 'a'), 0, 10).error().reason,
            "HEADERS_TOO_LARGE");
  EXPECT_EQ(find_head_end("a\r\n" + std::string(10, 'a') + "\r\n\r\n", 0, 10).error().reason,
            "HEADERS_TOO_LARGE");
}

TEST(RequestHead, SaysWhatTheRequestNeedsOfItsConnection) {
  const RequestHead head = parse_head(
                               "PUT /a%20b?q=1 HTTP/1.1\r\nHost: a\r\nContent-Length: "
                               "007\r\nExpect: 100-Continue\r\nConnection: x , CLOSE\r\n\r\n",
                               {})
                               .value();
  EXPECT_EQ(head.method, "PUT");
  EXPECT_EQ(head.target.path, "/a%20b");
  EXPECT_EQ(head.target.segments, std::vector<std::string>{"a b"});
  EXPECT_EQ(head.body_length, 7);
  EXPECT_TRUE(head.expects_continue);
  EXPECT_TRUE(head.wants_close);
  EXPECT_EQ(parse_head("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n", {})
                .value()
                .body_length,
            -1);
}

TEST(RequestHead, AnErrorNamesTheHeader) {
  const auto result = parse_head("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", {});
  EXPECT_EQ(reason(result), "HEADER_INVALID");
  ASSERT_EQ(result.error().causes.size(), 1u);
  EXPECT_EQ(result.error().causes[0].field, "content-length");
}

TEST(RequestTarget, OneSlashAtTheEndMeansNothing) {
  EXPECT_TRUE(parse_target("/", 100).value().segments.empty());
  EXPECT_EQ(parse_target("/a/", 100).value().segments, parse_target("/a", 100).value().segments);
  EXPECT_FALSE(parse_target("//", 100).ok());
  EXPECT_FALSE(parse_target("/a//", 100).ok());
  EXPECT_FALSE(parse_target("", 100).ok());
}

TEST(RequestTarget, APathIsWrittenInOneWay) {
  for (const char* path : {"/a/b%20c", "/a/b%20c/", "/%61/b%20c"})
    EXPECT_EQ(path_of(parse_target(path, 100).value().segments), "/a/b%20c") << path;
  EXPECT_EQ(path_of({}), "/");
}

TEST(RequestTarget, AQueryMayHoldWhatAPathMayNot) {
  const Target target = parse_target("/a?path=%2Fx%2F..%2Fy&n=a=b", 100).value();
  EXPECT_EQ(target.query[0].second, "/x/../y");
  EXPECT_EQ(target.query[1].second, "a=b");
  std::string many = "/a?";
  for (int i = 0; i < 101; ++i) many += "x&";
  EXPECT_FALSE(parse_target(many, 100).ok());
}

TEST(Authority, IsAHostWithAnOptionalPort) {
  EXPECT_EQ(parse_authority("LocalHost.:80")->host, "localhost");
  EXPECT_EQ(parse_authority("[::1]:80")->host, "::1");
  EXPECT_EQ(parse_authority("[::1]")->port, -1);
  EXPECT_EQ(parse_authority("a:65535")->port, 65535);
  for (const char* bad : {"", ":80", "a:", "a:65536", "a:-1", "a:+1", "a b", "a/b", "a@b", "[::1",
                          "[::1]80", "[a]", "::1", "."}) {
    EXPECT_FALSE(parse_authority(bad)) << bad;
  }
  EXPECT_TRUE(is_loopback_name("127.8.9.1"));
  EXPECT_FALSE(is_loopback_name("127.evil.example"));
}

TEST(ChunkDecoder, DecodesTheSameHoweverTheBytesWereCut) {
  const std::string text = "5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n";
  for (size_t size = 1; size <= text.size(); ++size) {
    ChunkDecoder decoder;
    std::string body;
    const auto take = [&](std::string_view piece) -> Status {
      body += piece;
      return {};
    };
    const std::string all = text + "next";
    size_t used = 0;
    while (!decoder.done()) {
      const auto step = decoder.decode(std::string_view(all).substr(used, size), take);
      ASSERT_TRUE(step.ok());
      used += *step;
    }
    EXPECT_EQ(body, "hello0123456789");
    EXPECT_EQ(used, text.size());
  }
}

TEST(ChunkDecoder, ExtensionsAndTrailersAreBounded) {
  const auto ignore = [](std::string_view) { return Status(); };
  EXPECT_FALSE(ChunkDecoder().decode("1;" + std::string(300, 'x'), ignore).ok());
  std::string trailers = "0\r\n";
  for (int i = 0; i < 1000; ++i) trailers += "T: v\r\n";
  EXPECT_FALSE(ChunkDecoder().decode(trailers, ignore).ok());
}

TEST(Refusal, HasTheStatusThatHttpHasForTheReason) {
  const Response slow = refusal({Code::kDeadlineExceeded, "BODY_TOO_SLOW", "too slow"});
  EXPECT_EQ(slow.status, 408);
  EXPECT_NE(slow.body.find("\"code\":408"), std::string::npos);
  EXPECT_NE(slow.body.find("\"kind\":\"Status\""), std::string::npos);
  EXPECT_EQ(refusal({Code::kNotFound, "RUN_NOT_FOUND", "no"}).status, 404);
}

}  // namespace
}  // namespace paddock::http_server
