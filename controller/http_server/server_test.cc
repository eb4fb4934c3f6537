// The server as its users and its operators meet it, over real connections. (T1 to T26 name the
// traps of cpp-httplib that a test guards against.)
#include "controller/http_server/server.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <csignal>

#include "controller/http_server/server_fixture.h"

namespace paddock::api {
namespace {

using testing::HasSubstr;
using testing::Not;

class ServerBehaviour : public ServerTest {};

int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

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

TEST_F(ServerBehaviour, SlowHeadersAreCutOffByADeadlineForAllOfThem) {  // T4: slowloris
  ServerOptions options = one_listener();
  options.header_timeout_ms = 300;
  start(options);
  RawClient slow = client();
  slow.send("GET /ping HTTP/1.1\r\nX: ");
  pollfd answered{slow.fd(), POLLIN, 0};
  while (::poll(&answered, 1, 20) == 0) slow.send("y");  // a byte now and then keeps nothing alive
  const Answer answer = slow.answer();
  EXPECT_EQ(answer.status, 408);
  EXPECT_THAT(answer.body, HasSubstr("HEADERS_TOO_SLOW"));
  EXPECT_TRUE(slow.closed_by_server());
}

TEST_F(ServerBehaviour, SlowBodiesAreCutOffByADeadlineForAllOfThem) {  // T4
  ServerOptions options = one_listener();
  options.body_timeout_ms = 300;
  start(options);
  for (const std::string framing :
       {"Content-Length: 1000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3e8\r\n"}) {
    RawClient slow = client();
    slow.send("POST /echo HTTP/1.1\r\nHost: localhost\r\n" + framing);
    pollfd answered{slow.fd(), POLLIN, 0};
    while (::poll(&answered, 1, 20) == 0) slow.send("y");
    const Answer answer = slow.answer();
    EXPECT_EQ(answer.status, 408);
    EXPECT_THAT(answer.body, HasSubstr("BODY_TOO_SLOW"));
    EXPECT_TRUE(slow.closed_by_server());
  }
}

TEST_F(ServerBehaviour, ABodyThatEndsEarlyIsIncomplete) {
  start();
  RawClient one = client();
  one.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf");
  one.close_sending();
  const Answer answer = one.answer();
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("BODY_INCOMPLETE"));
}

TEST_F(ServerBehaviour, AClientThatDoesNotReadIsGivenUp) {
  ServerOptions options = one_listener();
  options.write_timeout_ms = 200;
  start(options);
  RawClient deaf = client();
  deaf.send(get("/stream/flood"));
  EXPECT_TRUE(ended_.wait_until(1));
  RawClient also_deaf = client();
  also_deaf.send(get("/big"));
  expect_alive();
}

TEST_F(ServerBehaviour, AnIdleConnectionIsClosedAfterItsTime) {
  ServerOptions options = one_listener();
  options.idle_timeout_ms = 100;
  start(options);
  RawClient idle = client();
  EXPECT_EQ(idle.read_to_end(), "");
  RawClient kept = client();
  EXPECT_EQ(kept.ask(get("/ping")).status, 200);
  EXPECT_EQ(kept.read_to_end(), "");
}

TEST_F(ServerBehaviour, AStreamEndsWhenItsClientGoesAlsoAfterStrayBytes) {  // T18
  start();
  for (const std::string stray : {"", "stray bytes before the end"}) {
    const int before = ended_.count();
    RawClient one = client();
    one.send(get("/stream/forever"));
    ASSERT_TRUE(one.read_until("begun"));
    one.send(stray);
    one.close();
    EXPECT_TRUE(ended_.wait_until(before + 1));
  }
}

TEST_F(ServerBehaviour, AHeldRequestSeesThatItsClientIsGone) {  // T18
  start();
  RawClient one = client();
  one.send(get("/hold"));
  ASSERT_TRUE(streaming_.wait_until(1));
  one.close();
  EXPECT_TRUE(ended_.wait_until(1));
  expect_alive();
}

TEST_F(ServerBehaviour, BeyondTheCapClientsAreToldToComeBackLater) {  // T3
  ServerOptions options = one_listener();
  options.max_connections = 4;
  start(options);
  std::vector<RawClient> streams;
  for (int i = 0; i < 4; ++i) {
    streams.push_back(client());
    streams.back().send(get("/stream/forever"));
  }
  ASSERT_TRUE(streaming_.wait_until(4));
  for (int i = 0; i < 3; ++i) {
    RawClient late = client();
    const Answer answer = late.ask(get("/ping"));
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.body, HasSubstr("TOO_MANY_CONNECTIONS"));
  }
  streams.pop_back();
  ASSERT_TRUE(ended_.wait_until(1));
  while (ask(get("/ping")).status != 200)
    std::this_thread::yield();  // until the place is free again
}

TEST_F(ServerBehaviour, StopEndsTwoHundredStreamsAndIdleConnectionsAtOnce) {  // T5, T6
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(client());
    clients.back().send(get(i % 2 == 0 ? "/stream/forever" : "/hold"));
  }
  for (int i = 0; i < 50; ++i) {
    clients.push_back(client());
    EXPECT_EQ(clients.back().ask(get("/ping")).body, "pong");  // idle from here on
  }
  ASSERT_TRUE(streaming_.wait_until(200));
  EXPECT_EQ(server_->connections(), 250u);
  const int64_t begin = now_ms();
  server_->stop();
  EXPECT_LT(now_ms() - begin, 2000);
  EXPECT_EQ(server_->connections(), 0u);
  EXPECT_EQ(ended_.count(), 200);
  EXPECT_FALSE(client().connected());
  server_->stop();  // again does nothing
}

TEST_F(ServerBehaviour, StopDoesNotWaitForAClientThatDoesNotRead) {
  start();
  RawClient deaf = client();
  deaf.send(get("/big"));
  ASSERT_TRUE(handled_.wait_until(1));
  const int64_t begin = now_ms();
  server_->stop();
  EXPECT_LT(now_ms() - begin, 5000);
}

TEST_F(ServerBehaviour, APortIsNeverShared) {  // T17
  start();
  ServerOptions second = one_listener();
  second.listen[0].port = server_->port(0);
  const auto refused = Server::start(second, [](Request&) { return Response(); });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "PORT_IN_USE");
  EXPECT_EQ(refused.error().code, Code::kFailedPrecondition);
  expect_alive();
  server_->stop();
  EXPECT_TRUE(Server::start(second, [](Request&) { return Response(); }).ok())
      << "TIME_WAIT does not block a restart";
}

TEST_F(ServerBehaviour, PlainHttpIsForLoopbackOnly) {
  for (const std::string host : {"0.0.0.0", "::", "192.0.2.1", ""}) {
    ServerOptions options;
    options.listen.push_back({host, 0, std::nullopt, ""});
    const auto refused = Server::start(options, [](Request&) { return Response(); });
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, host.empty() ? "ADDRESS_INVALID" : "PLAIN_HTTP_NOT_LOOPBACK");
  }
}

TEST_F(ServerBehaviour, ConfiguredHostsAreAccepted) {
  ServerOptions options = one_listener();
  options.allowed_hosts = {"Paddock.Example", "other.example:443"};
  start(options);
  EXPECT_EQ(ask("GET /ping HTTP/1.1\r\nHost: paddock.example:8443\r\n\r\n").status, 200);
  EXPECT_EQ(ask("GET /ping HTTP/1.1\r\nHost: other.example.\r\n\r\n").status, 200);
  EXPECT_EQ(ask("GET /ping HTTP/1.1\r\nHost: third.example\r\n\r\n").status, 421);
}

int open_descriptors() {
  int count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

TEST_F(ServerBehaviour, AThousandConnectionsLeaveNothingBehind) {  // T2, T16
  start();
  expect_alive();
  while (server_->connections() > 0) std::this_thread::yield();
  const int before = open_descriptors();
  for (int i = 0; i < 1000; ++i) {
    RawClient one = client();
    ASSERT_TRUE(one.connected());
    if (i % 3 == 0) one.send(get("/ping", "Connection: close\r\n"));
    if (i % 3 == 1) one.send("GET /pi");
    if (i % 3 == 0) {
      EXPECT_EQ(one.answer().status, 200);
    }
  }
  while (server_->connections() > 0) std::this_thread::yield();
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ServerBehaviour, EveryDescriptorIsCloseOnExec) {  // T16
  start();
  RawClient one = client();
  EXPECT_EQ(one.ask(get("/ping")).status, 200);
  DIR* folder = ::opendir("/proc/self/fd");
  while (const dirent* entry = ::readdir(folder)) {
    const auto fd = parse_integer<int>(entry->d_name);
    int type = 0;
    socklen_t size = sizeof type;
    if (!fd || ::getsockopt(*fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || *fd <= 2) continue;
    EXPECT_NE(::fcntl(*fd, F_GETFD) & FD_CLOEXEC, 0) << "socket " << *fd;
  }
  ::closedir(folder);
}

TEST_F(ServerBehaviour, TheProcessKeepsItsSigpipeDisposition) {  // T16
  struct sigaction before {};
  struct sigaction after {};
  ::sigaction(SIGPIPE, nullptr, &before);
  start();
  ::sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
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
}  // namespace paddock::api
