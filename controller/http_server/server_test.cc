// What the server answers, over real connections. (T1 to T26 name the traps of cpp-httplib that a
// test guards against.)
#include "controller/http_server/server.h"

#include <sys/resource.h>

#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {
namespace {

using testing::HasSubstr;
using testing::Not;

class ServerBehaviour : public ServerTest {};

TEST_F(ServerBehaviour, AnswersCarryTheirLengthTypeAndSecurityHeaders) {
  start();
  const Answer answer = ask(get("/ping"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "pong");
  EXPECT_EQ(answer.header("content-length"), "4");
  EXPECT_EQ(answer.header("content-type"), "text/plain");
  EXPECT_EQ(answer.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(answer.header("cache-control"), "no-store");
  EXPECT_EQ(answer.header("keep-alive"), "");
}

TEST_F(ServerBehaviour, ManyRequestsShareAConnectionAlsoAfterErrors) {
  start();
  RawClient one = client();
  for (int i = 0; i < 200; ++i) {  // more than any built-in keep-alive count
    EXPECT_EQ(one.ask(get("/nowhere")).status, 404);
    EXPECT_EQ(one.ask(get("/ping")).body, "pong");
  }
  EXPECT_EQ(server_->connections(), 1u);
}

TEST_F(ServerBehaviour, PipelinedRequestsAreAllAnsweredInOrder) {  // T11
  start();
  RawClient one = client();
  one.send(get("/ping") + post("/echo", "first") + get("/nowhere") + post("/echo", "second") +
           "\r\n" + get("/ping"));
  EXPECT_EQ(one.answer().body, "pong");
  EXPECT_EQ(one.answer().body, "first");
  EXPECT_EQ(one.answer().status, 404);
  EXPECT_EQ(one.answer().body, "second");
  EXPECT_EQ(one.answer().body, "pong");
}

TEST_F(ServerBehaviour, ARequestMayArriveByteByByte) {
  start();
  RawClient one = client();
  for (const char c : post("/echo", "hello")) one.send({&c, 1});
  EXPECT_EQ(one.answer().body, "hello");
}

TEST_F(ServerBehaviour, ChunkedBodiesAreDecodedAndTheirTrailersIgnored) {
  start();
  RawClient one = client();
  const std::string request =
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "5;name=value\r\nhello\r\n00006\r\n world\r\n0\r\nTrailer: ignored\r\n\r\n";
  EXPECT_EQ(one.ask(request).body, "hello world");
  EXPECT_EQ(one.ask(get("/ping")).body, "pong");
}

TEST_F(ServerBehaviour, APostWithoutALengthHasAnEmptyBody) {  // T12: blocked until a timeout
  start();
  EXPECT_EQ(ask("POST /echo HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
}

TEST_F(ServerBehaviour, TheTargetIsSplitBeforeItIsDecoded) {
  start();
  const Answer answer =
      ask(get("/seen/a%20b/%C3%A9/c+d/?x=1&y=a+b%26&x=2&&flag", "Accept: a\r\nAccept: b\r\n"));
  EXPECT_THAT(answer.body, HasSubstr("GET seen|a b|\xC3\xA9|c+d\n?x=1\n?y=a b&\n?x=2\n?flag=\n"));
  EXPECT_THAT(answer.body, HasSubstr("accept: a, b\n"));
}

TEST_F(ServerBehaviour, HeadIsGetWithoutItsBody) {
  start();
  RawClient one = client();
  one.send("HEAD /ping HTTP/1.1\r\nHost: localhost\r\n\r\n");
  Answer answer = one.answer(true);
  EXPECT_EQ(answer.header("content-length"), "4");
  EXPECT_EQ(answer.header("accept-ranges"), "");
  one.send("HEAD /stream/sized HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(one.answer(true).header("content-length"), "10");
  one.send("HEAD /stream/forever HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(one.answer(true).status, 200);
  EXPECT_EQ(one.ask(get("/ping")).body, "pong");
}

TEST_F(ServerBehaviour, ExpectContinueIsAnsweredOnlyWhenAHandlerWantsTheBody) {  // T23
  start();
  const auto request = [](std::string_view path) {
    return cat("POST ", path,
               " HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  };
  RawClient wanted = client();
  EXPECT_EQ(wanted.ask(request("/echo")).status, 100);
  EXPECT_EQ(wanted.ask("hello").body, "hello");
  RawClient unwanted = client();
  EXPECT_EQ(unwanted.ask(request("/ignore")).status, 401);
  EXPECT_TRUE(unwanted.closed_by_server());
  expect_refused(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nContent-Length: 0\r\n\r\n", 417,
      "EXPECTATION_UNSUPPORTED");
}

TEST_F(ServerBehaviour, ConnectionCloseIsHonouredInAnyCase) {  // T24
  start();
  RawClient one = client();
  EXPECT_EQ(one.ask(get("/ping", "Connection: foo, Close\r\n")).header("connection"), "close");
  EXPECT_TRUE(one.closed_by_server());
}

TEST_F(ServerBehaviour, AnswersAreDatedWhereTheServerWasGivenAClock) {
  start();
  EXPECT_EQ(ask(get("/ping")).header("date"), "");
  ServerOptions options = one_listener();
  options.wall = [] { return WallTime{784'111'777'000}; };
  start(options);
  for (const char* path : {"/ping", "/nowhere", "/stream/three"})
    EXPECT_EQ(ask(get(path)).header("date"), "Sun, 06 Nov 1994 08:49:37 GMT") << path;
}

TEST_F(ServerBehaviour, AHalfClosedClientStillGetsItsAnswer) {  // T13
  start();
  RawClient one = client();
  one.send(get("/ping"));
  one.close_sending();
  EXPECT_EQ(one.answer().body, "pong");
  EXPECT_TRUE(one.closed_by_server());
}

TEST_F(ServerBehaviour, AcceptEncodingNeverCompresses) {  // T7
  start();
  const Answer answer = ask(get("/ping", "Accept-Encoding: br, gzip\r\n"));
  EXPECT_EQ(answer.header("content-encoding"), "");
  EXPECT_EQ(answer.body, "pong");
}

TEST_F(ServerBehaviour, AHugeBodyIsStreamedWithoutBeingHeld) {
  start();
  const uint64_t size = uint64_t{256} << 20;
  struct rusage before {};
  ::getrusage(RUSAGE_SELF, &before);
  RawClient one = client();
  one.send(cat("PUT /count HTTP/1.1\r\nHost: localhost\r\nContent-Length: ", size, "\r\n\r\n"));
  const std::string piece(1 << 20, 'x');
  for (uint64_t sent = 0; sent < size; sent += piece.size()) ASSERT_TRUE(one.send(piece));
  EXPECT_EQ(one.answer().body, cat(size));
  struct rusage after {};
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 128 << 10) << "KiB";
}

TEST_F(ServerBehaviour, StreamsAreChunkedAndAnEmptyWriteDoesNotEndThem) {  // T19
  start();
  RawClient one = client();
  const Answer answer = one.ask(get("/stream/three"));
  EXPECT_EQ(answer.header("transfer-encoding"), "chunked");
  EXPECT_EQ(answer.body, "abc");
  EXPECT_TRUE(answer.complete);
  const Answer sized = one.ask(get("/stream/sized"));
  EXPECT_EQ(sized.header("content-length"), "10");
  EXPECT_EQ(sized.body, "0123456789") << "no byte beyond the length that was announced";
  EXPECT_EQ(one.ask(get("/ping")).body, "pong");
}

TEST_F(ServerBehaviour, AStreamThatThrowsOrEndsEarlyIsVisiblyIncomplete) {  // T14
  start();
  RawClient one = client();
  EXPECT_FALSE(one.ask(get("/stream/throws")).complete);
  EXPECT_TRUE(one.closed_by_server());
  EXPECT_FALSE(ask(get("/stream/short")).complete);
  expect_alive();
}

TEST_F(ServerBehaviour, ConfiguredHostsAreAccepted) {
  ServerOptions options = one_listener();
  options.allowed_hosts = {"Paddock.Example", "other.example:443"};
  start(options);
  EXPECT_EQ(ask("GET /ping HTTP/1.1\r\nHost: paddock.example:8443\r\n\r\n").status, 200);
  EXPECT_EQ(ask("GET /ping HTTP/1.1\r\nHost: other.example.\r\n\r\n").status, 200);
  EXPECT_EQ(ask("GET /ping HTTP/1.1\r\nHost: third.example\r\n\r\n").status, 421);
}

TEST_F(ServerBehaviour, AHandlersHeadersCannotBreakTheAnswer) {  // CVE-2026-21428 (class)
  auto started = Server::start(one_listener(), [](Request&) {
    Response response;
    response.headers = {{"X-Bad", "a\r\nEvil: 1"},
                        {"X Bad", "1"},
                        {"Content-Length", "9999"},
                        {"Transfer-Encoding", "chunked"},
                        {"Connection", "upgrade"},
                        {"Cache-Control", "max-age=60"},
                        {"X-Good", "1"}};
    response.body = "{}";
    return response;
  });
  ASSERT_TRUE(started.ok());
  server_ = std::move(*started);
  RawClient one = client();
  const Answer answer = one.ask(get("/"));
  EXPECT_THAT(ascii_lower(answer.head), Not(HasSubstr("evil")));
  EXPECT_THAT(ascii_lower(answer.head), Not(HasSubstr("upgrade")));
  EXPECT_EQ(answer.header("content-length"), "2");
  EXPECT_EQ(answer.header("transfer-encoding"), "");
  EXPECT_EQ(answer.header("cache-control"), "max-age=60");
  EXPECT_EQ(answer.header("x-good"), "1");
  EXPECT_EQ(one.ask(get("/")).body, "{}");
}

}  // namespace
}  // namespace paddock::http_server
