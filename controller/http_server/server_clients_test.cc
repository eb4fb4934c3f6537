// Clients that are slow, deaf, idle, gone or too many. (T1 to T26: see server_test.cc.)
#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {
namespace {

using testing::HasSubstr;

class ServerClients : public ServerTest {};

TEST_F(ServerClients, SlowHeadersAreCutOffByADeadlineForAllOfThem) {  // T4: slowloris
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

TEST_F(ServerClients, SlowBodiesAreCutOffByADeadlineForAllOfThem) {  // T4
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

TEST_F(ServerClients, ABodyThatEndsEarlyIsIncomplete) {
  start();
  RawClient one = client();
  one.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf");
  one.close_sending();
  const Answer answer = one.answer();
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("BODY_INCOMPLETE"));
}

// Most clients send all of a body before they read.
TEST_F(ServerClients, WhoSendsAllOfARefusedBodyReadsTheAnswer) {
  start();
  for (const size_t size : {size_t{100} << 10, size_t{5} << 20, size_t{48} << 20}) {
    RawClient one = client();
    EXPECT_TRUE(one.send(post("/echo", std::string(size, 'x')))) << size;
    const Answer answer = one.answer();
    EXPECT_EQ(answer.status, 413) << size;
    EXPECT_THAT(answer.body, HasSubstr("BODY_TOO_LARGE"));
  }
  const std::string chunk = cat("100000\r\n", std::string(0x100000, 'x'), "\r\n");
  RawClient chunked = client();
  EXPECT_TRUE(
      chunked.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(chunked.send(chunk));
  EXPECT_EQ(chunked.answer().status, 413);
}

TEST_F(ServerClients, AClientThatDoesNotReadIsGivenUp) {
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

// Who is given no processor while its time is up cannot ask, and is given more.
TEST_F(ServerClients, AnIdleConnectionIsClosedAfterItsTime) {
  for (const int idle_ms : {2'000, 60'000}) {
    ServerOptions options = one_listener();
    options.idle_timeout_ms = idle_ms;
    start(options);
    RawClient kept = client();
    RawClient idle = client();
    const int status = kept.ask(get("/ping")).status;
    EXPECT_EQ(idle.read_to_end(), "");
    EXPECT_TRUE(idle.closed_by_server());
    EXPECT_EQ(kept.read_to_end(), "");
    EXPECT_TRUE(kept.closed_by_server());
    if (status == 200) return;
  }
  ADD_FAILURE() << "there was no time to ask";
}

TEST_F(ServerClients, AnIdleConnectionGivesItsPlaceBackSoonOnceTheyAreScarce) {
  ServerOptions options = one_listener();
  options.max_connections = 4;
  options.crowded_idle_timeout_ms = 1;
  start(options);
  RawClient early = client();
  EXPECT_EQ(early.ask(get("/ping")).status, 200);
  while (server_->parked() != 1) std::this_thread::yield();
  std::vector<RawClient> streams;
  for (int i = 0; i < 2; ++i) {
    streams.push_back(client());
    streams.back().send(get("/stream/forever"));
  }
  ASSERT_TRUE(streaming_.wait_until(2));
  RawClient late = client();
  EXPECT_TRUE(late.closed_by_server());
  EXPECT_EQ(early.ask(get("/ping")).status, 200);  // there were places when it began to wait
}

TEST_F(ServerClients, AHeadThatComesSlowlyHasLessTimeOnceConnectionsAreScarce) {
  ServerOptions options = one_listener();
  options.max_connections = 4;
  options.crowded_header_timeout_ms = 100;
  start(options);
  RawClient slow = client();
  slow.send("GET /ping");
  std::vector<RawClient> streams;
  for (int i = 0; i < 3; ++i) {
    streams.push_back(client());
    streams.back().send(get("/stream/forever"));
  }
  ASSERT_TRUE(streaming_.wait_until(3));
  EXPECT_EQ(slow.answer().status, 408);
}

TEST_F(ServerClients, AStreamEndsWhenItsClientGoesAlsoAfterStrayBytes) {  // T18
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

TEST_F(ServerClients, AHeldRequestSeesThatItsClientIsGone) {  // T18
  start();
  RawClient one = client();
  one.send(get("/hold"));
  ASSERT_TRUE(streaming_.wait_until(1));
  one.close();
  EXPECT_TRUE(ended_.wait_until(1));
  expect_alive();
}

TEST_F(ServerClients, OneThatHangsUpWakesNobodyElse) {
  start();
  std::vector<RawClient> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(client());
    held.back().send(get("/hold"));
  }
  ASSERT_TRUE(streaming_.wait_until(3));
  for (int gone = 1; gone <= 3; ++gone) {
    held.pop_back();
    ASSERT_TRUE(ended_.wait_until(gone));
    RawClient next = client();  // with the number that is free now
    EXPECT_EQ(next.ask(get("/ping")).body, "pong");
    EXPECT_EQ(ended_.count(), gone);
  }
}

TEST_F(ServerClients, BeyondTheCapClientsAreToldToComeBackLater) {  // T3
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

}  // namespace
}  // namespace paddock::http_server
