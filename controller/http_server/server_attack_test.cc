// Attacks on the published weaknesses of cpp-httplib 0.11.4 and on the framing of requests, over a
// real connection. Each names the weakness it stands for.
#include "common/contracts/tool_gateway.h"
#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {
namespace {

using testing::HasSubstr;
using testing::Not;

class ServerAttack : public ServerTest {
 protected:
  void SetUp() override { start(); }
};

std::string chunk(std::string_view data) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", data.size());
  return cat(size, data, "\r\n");
}

// CVE-2025-46728: a chunked body ignores the limit.
TEST_F(ServerAttack, AChunkedBodyOverTheLimitOfItsHandlerIsRefusedWhileItArrives) {
  RawClient attacker = client();
  attacker.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string piece = chunk(std::string(16 << 10, 'x'));
  for (int i = 0; i < 5; ++i) attacker.send(piece);  // 80 KiB against a limit of 64 KiB, and no end
  const Answer answer = attacker.answer();
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.body, HasSubstr("BODY_TOO_LARGE"));
  EXPECT_TRUE(attacker.closed_by_server());
}

TEST_F(ServerAttack, ABodyDeclaredTooLargeIsRefusedBeforeAByteOfItIsRead) {  // T9
  RawClient attacker = client();
  const Answer answer =
      attacker.ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000000\r\n\r\n");
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.body, HasSubstr("BODY_TOO_LARGE"));
  EXPECT_EQ(answer.header("connection"), "close");
}

// CVE-2025-53628: unlimited line length.
TEST_F(ServerAttack, AnEndlessRequestLineOrHeaderLineIsCutOff) {
  expect_refused("GET /" + std::string(100 << 10, 'a'), 414, "TARGET_TOO_LONG");
  expect_refused("GET /ping HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(100 << 10, 'a'), 431,
                 "HEADERS_TOO_LARGE");
  expect_alive();
}

// CVE-2025-52887, CVE-2025-53629: unlimited number of headers.
TEST_F(ServerAttack, TooManyHeadersAreRefused) {
  std::string headers;
  for (int i = 0; i < 101; ++i) headers += cat("X-", i, ": 1\r\n");
  expect_refused(get("/ping", headers), 431, "HEADERS_TOO_LARGE");
  EXPECT_EQ(ask(get("/ping", headers.substr(0, headers.find("X-99")))).status, 200);
}

// CVE-2026-22776, CVE-2026-28435: a small compressed body becomes a large one.
TEST_F(ServerAttack, CompressedBodiesAreRefusedUnread) {
  for (const std::string encoding : {"gzip", "br", "deflate", "gzip, gzip", "zstd"}) {
    expect_refused(cat("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: ", encoding,
                       "\r\nContent-Length: 4\r\n\r\nxxxx"),
                   415, "CONTENT_ENCODING_UNSUPPORTED");
  }
}

// CVE-2025-66570: a client's header poses as the server's knowledge of the connection.
TEST_F(ServerAttack, HeadersThatPoseAsConnectionFactsAreDropped) {
  const Answer answer = ask(get(
      "/seen", "REMOTE_ADDR: 6.6.6.6\r\nRemote_Port: 1\r\nLOCAL_ADDR: 6.6.6.6\r\nX-Mine: yes\r\n"));
  EXPECT_THAT(answer.body, Not(HasSubstr("6.6.6.6")));
  EXPECT_THAT(answer.body, Not(HasSubstr("remote_port")));
  EXPECT_THAT(answer.body, HasSubstr("x-mine: yes"));
}

// CVE-2026-45372: percent-decoding of header values makes line breaks.
TEST_F(ServerAttack, PercentSignsInHeaderValuesStayAsTheyAre) {
  const Answer answer = ask(get("/seen", "X-Value: a%0d%0aEvil: 1%00%25\r\n"));
  EXPECT_THAT(answer.body, HasSubstr("x-value: a%0d%0aEvil: 1%00%25\n"));
  EXPECT_THAT(answer.body, Not(HasSubstr("\nevil")));
}

// CVE-2026-34441 (class): an unread body becomes the next request.
TEST_F(ServerAttack, AnUnreadBodyNeverBecomesTheNextRequest) {
  const std::string inner = get("/seen", "X-Smuggled: 1\r\n");
  RawClient small = client();
  small.send(post("/ignore", inner) + get("/ping"));
  EXPECT_EQ(small.answer().status, 401);
  EXPECT_EQ(small.answer().body, "pong") << "a small rest is skipped and the connection goes on";

  RawClient large = client();
  large.send(post("/ignore", inner + std::string(200 << 10, ' ')));
  EXPECT_EQ(large.answer().header("connection"), "close");
  EXPECT_TRUE(large.closed_by_server());
  expect_refused(cat("GET /ping HTTP/1.1\r\nHost: localhost\r\nContent-Length: ", inner.size(),
                     "\r\n\r\n", inner),
                 400, "BODY_NOT_ALLOWED");
  expect_refused(
      "GET /ping HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
      "BODY_NOT_ALLOWED");
  EXPECT_EQ(handled_.count(), 3);
}

TEST_F(ServerAttack, AHandlerThatStopsReadingEndsTheConnection) {  // CVE-2026-34441, T10
  RawClient attacker = client();
  attacker.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" +
                chunk(std::string(65 << 10, 'x')) + get("/seen"));
  EXPECT_EQ(attacker.answer().status, 413);
  EXPECT_TRUE(attacker.closed_by_server());
  EXPECT_EQ(handled_.count(), 1);
}

// CVE-2026-28434: the text of an exception leaves in a header.
TEST_F(ServerAttack, TheTextOfAnExceptionStaysInside) {
  for (const std::string path : {"/throw", "/throw-int"}) {
    const Answer answer = ask(get(path));
    EXPECT_EQ(answer.status, 500);
    EXPECT_THAT(answer.head + answer.body, Not(HasSubstr("secret")));
    EXPECT_THAT(ascii_lower(answer.head), Not(HasSubstr("exception")));
  }
  expect_alive();
}

// No CVE number: ranges read beyond a resource (1000-1005 of 16 bytes) or amplify (0-,0-,…).
TEST_F(ServerAttack, RangesAreLeftToHandlersAndNeverCutOrMultiplyAnAnswer) {
  std::string many = "Range: bytes=0-";
  for (int i = 0; i < 1000; ++i) many += ",0-";
  for (const std::string& range :
       {many, std::string("Range: bytes=1000-1005"), std::string("Range: bytes=0-100000"),
        std::string("Range: bytes=0-0"), std::string("Range: nonsense")}) {
    const Answer answer = ask(get("/ping", range + "\r\n"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "pong");
    EXPECT_EQ(ask(get("/stream/sized", range + "\r\n")).body, "0123456789");
  }
  EXPECT_THAT(ask(get("/seen", "Range: bytes=0-0\r\n")).body, HasSubstr("range: bytes=0-0"));
}

TEST_F(ServerAttack, AmbiguousFramingIsRefused) {  // T12
  const std::string begin = "POST /echo HTTP/1.1\r\nHost: localhost\r\n";
  const std::vector<std::string> bad = {
      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
      "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
      "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
      "Content-Length: 5, 5\r\n\r\nhello",
      "Content-Length: -1\r\n\r\n",
      "Content-Length: +5\r\n\r\nhello",
      "Content-Length: abc\r\n\r\n",
      "Content-Length: 0x5\r\n\r\nhello",
      "Content-Length:\r\n\r\n",
      "Content-Length: 99999999999999999999\r\n\r\n",
      "Content-Length : 5\r\n\r\nhello",
      "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "X: a\r\n folded\r\n\r\n",
      "\tX: a\r\n\r\n",
      "X: a\nY: b\r\n\r\n",
      "X: a\rY: b\r\n\r\n",
      "X: a\r\n\n",
      std::string("X: a\0b\r\n\r\n", 10),
      "X: a\x01\r\n\r\n",
      "X: \xff\r\n\r\n",
      "No colon\r\n\r\n",
      ": empty\r\n\r\n",
      "X Y: a\r\n\r\n",
      "Host: localhost\r\n\r\n",
  };
  for (const std::string& rest : bad) expect_refused(begin + rest, 400, "HEADER_INVALID");
  expect_refused(begin + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501,
                 "TRANSFER_ENCODING_UNSUPPORTED");
  expect_refused(begin + "Transfer-Encoding: xchunked\r\n\r\n", 501,
                 "TRANSFER_ENCODING_UNSUPPORTED");
  EXPECT_EQ(handled_.count(), 0);
  expect_alive();
}

TEST_F(ServerAttack, MalformedChunksEndTheConnection) {
  for (const std::string body :
       {"5\nhello\r\n0\r\n\r\n", "zz\r\nhello\r\n", "-5\r\nhello\r\n", "5 \r\nhello\r\n",
        "5\r\nhelloX\r\n0\r\n\r\n", "\r\n\r\n", ";x\r\n\r\n", "ffffffffffffffffff\r\n",
        "0x5\r\nhello\r\n", "5\r\nhello\r\n0\r\n\n"}) {
    RawClient attacker = client();
    const Answer answer = attacker.ask(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_THAT(answer.body, HasSubstr("BODY_MALFORMED"));
    EXPECT_TRUE(attacker.closed_by_server());
  }
}

TEST_F(ServerAttack, RequestLinesThatAreNotHttp11AreRefused) {
  expect_refused("nonsense\r\n\r\n", 400, "REQUEST_LINE_INVALID");
  expect_refused("GET  /ping HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "REQUEST_LINE_INVALID");
  expect_refused("GET /ping\r\nHost: localhost\r\n\r\n", 400, "REQUEST_LINE_INVALID");
  expect_refused("G(T /ping HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "REQUEST_LINE_INVALID");
  expect_refused("GET /ping HTTP/1.0\r\nHost: localhost\r\n\r\n", 505, "HTTP_VERSION_UNSUPPORTED");
  expect_refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "HTTP_VERSION_UNSUPPORTED");
  expect_refused("TRACE /ping HTTP/1.1\r\nHost: localhost\r\n\r\n", 501, "METHOD_UNSUPPORTED");
  expect_refused("CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 501, "METHOD_UNSUPPORTED");
  expect_refused("get /ping HTTP/1.1\r\nHost: localhost\r\n\r\n", 501, "METHOD_UNSUPPORTED");
  expect_refused(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400,
                 "HEADER_INVALID");  // TLS on a plain port
}

TEST_F(ServerAttack, TargetsThatTwoReadersUnderstandDifferentlyAreRefused) {  // T21, T22, T24
  for (const std::string target : {"/a%2fb",      "/a%2Fb",
                                   "/a%5cb",      "/a\\b",
                                   "/a%00b",      "/..",
                                   "/a/../b",     "/%2e%2e/b",
                                   "/a/./b",      "/.",
                                   "//a",         "/a//b",
                                   "/a//",        "/%c0%ae",
                                   "/%u0041",     "/a%",
                                   "/a%2",        "/a%zz",
                                   "/%0d%0a",     "/a#b",
                                   "/\xc3\xa9",   "http://localhost/ping",
                                   "*",           "ping",
                                   "/ping?a=%00", "/ping?a=%zz",
                                   "/ping?a=%ff"}) {
    expect_refused(get(target), 400, "TARGET_INVALID");
  }
  expect_refused(get("/" + std::string(1024, 'a')), 414, "TARGET_TOO_LONG");
  expect_refused(get("/ping?" + std::string(9000, 'a')), 414, "TARGET_TOO_LONG");
  EXPECT_EQ(handled_.count(), 0);
}

TEST_F(ServerAttack, ForeignHostsAndOriginsAreRefused) {  // T24: DNS rebinding
  for (const std::string host : {"evil.example", "evil.example:80", "10.0.0.1",
                                 "127.0.0.1.evil.example", "localhost.evil.example"}) {
    expect_refused(cat("GET /ping HTTP/1.1\r\nHost: ", host, "\r\n\r\n"), 421, "HOST_DENIED");
  }
  for (const std::string host : {"", "a b", "user@localhost", "localhost:", "localhost:x",
                                 "localhost:99999", "[::1", "[x]", "::1"}) {
    expect_refused(cat("GET /ping HTTP/1.1\r\nHost: ", host, "\r\n\r\n"), 400, "HEADER_INVALID");
  }
  expect_refused("GET /ping HTTP/1.1\r\n\r\n", 400, "HEADER_INVALID");
  for (const std::string origin :
       {"http://evil.example", "null", "http://localhost:1", "file://", "http://127.0.0.1",
        "https://localhost", "https://localhost:80", "HTTP://localhost", "http://localhost/",
        "http://localhost http://localhost", "http://localhost, http://evil.example",
        "http://user@localhost", "//localhost", "localhost"}) {
    expect_refused(cat("POST /echo HTTP/1.1\r\nHost: localhost\r\nOrigin: ", origin,
                       "\r\nContent-Length: 0\r\n\r\n"),
                   403, "ORIGIN_DENIED");
  }
  expect_refused(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: null\r\n"
      "Content-Length: 0\r\n\r\n",
      400, "HEADER_INVALID");
  EXPECT_EQ(handled_.count(), 0);
  for (const std::string host : {"localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8080",
                                 "[::1]:1", "paddock.localhost"}) {
    EXPECT_EQ(ask(cat("POST /echo HTTP/1.1\r\nHost: ", host, "\r\nOrigin: http://", host,
                      "\r\nContent-Length: 0\r\n\r\n"))
                  .status,
              200)
        << host;
  }
}

// In any pieces; and what only begins like one is what it was before.
TEST_F(ServerAttack, AGatewaysConnectionIsMarkedForAllItsRequests) {
  const std::string uid = "0190f5a0-1234-7abc-8def-0123456789ab";
  const std::string header = contracts::gateway_header(uid);
  for (const size_t first : {size_t{1}, size_t{4}, size_t{12}, size_t{30}, header.size()}) {
    RawClient run = client();
    run.send(header.substr(0, first));
    run.send(header.substr(first) + get("/seen") + get("/seen"));
    for (int i = 0; i < 2; ++i)
      EXPECT_THAT(run.answer().body, HasSubstr(cat("by the gateway of ", uid))) << first;
  }
  EXPECT_THAT(ask(cat("\r\n", get("/seen"))).body, Not(HasSubstr("by the gateway")));
  RawClient slow = client();
  slow.send("\r\n");
  EXPECT_THAT(slow.ask(get("/seen")).body, Not(HasSubstr("by the gateway")));
}

// Nobody gets out of one: by a second header, by one that is none of ours, or by pieces of it.
TEST_F(ServerAttack, NoHeaderUndoesAGateways) {
  const std::string header = contracts::gateway_header("0190f5a0-1234-7abc-8def-0123456789ab");
  const std::string other = contracts::gateway_header("0190f5a0-0000-7abc-8def-0123456789ab");
  for (const std::string& twice : {header + other + get("/seen"), header + header + get("/ping")}) {
    RawClient attacker = client();
    EXPECT_NE(attacker.ask(twice).status, 200);
    EXPECT_TRUE(attacker.closed_by_server());
  }
  std::string claimed = header;
  claimed[12] = 0x21;  // PROXY: with addresses
  for (const std::string& bad : {claimed, header.substr(0, 12) + get("/ping"),
                                 cat("PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n", get("/ping"))}) {
    RawClient attacker = client();
    EXPECT_NE(attacker.ask(bad + get("/ping")).status, 200);
    EXPECT_TRUE(attacker.closed_by_server());
  }
  RawClient half = client();
  half.send(header.substr(0, 40));
  half.close_sending();
  EXPECT_TRUE(half.closed_by_server());
  expect_alive();
}

}  // namespace
}  // namespace paddock::http_server
