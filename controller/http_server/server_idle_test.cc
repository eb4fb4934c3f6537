// Clients between two requests: they hold no thread, and whatever they do next is served or ends.
#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {
namespace {

using testing::HasSubstr;

class ServerIdle : public ServerTest {
 protected:
  static ServerOptions roomy() {
    ServerOptions options = one_listener();
    options.max_connections = 20'000;
    options.idle_timeout_ms = 3'600'000;  // a slow machine needs long to make so many
    return options;
  }
  void wait_until_parked(size_t count) const {
    while (server_->parked() != count) std::this_thread::yield();
  }
  RawClient parked_client() {
    const size_t before = server_->parked();
    RawClient one = client();
    EXPECT_EQ(one.ask(get("/ping")).body, "pong");
    wait_until_parked(before + 1);
    return one;
  }
};

TEST_F(ServerIdle, TenThousandThatAreSilentHoldNoThread) {
  start(roomy());
  const size_t count = as_many_as(10'000);
  std::vector<RawClient> clients;
  for (size_t i = 0; i < count; ++i) {
    clients.push_back(client());
    ASSERT_TRUE(clients.back().connected());
    if (i % 10 == 0) {
      ASSERT_EQ(clients.back().ask(get("/ping")).body, "pong");
    }
  }
  wait_until_parked(count);
  EXPECT_EQ(server_->connections(), count);
  while (threads() > 32) std::this_thread::yield();  // those of the requests are kept some seconds
  for (size_t i = 0; i < count; i += 997) EXPECT_EQ(clients[i].ask(get("/ping")).body, "pong");
  expect_alive();
  server_->stop();
  EXPECT_EQ(server_->connections(), 0u);
  for (size_t i = 0; i < count; i += 997) EXPECT_TRUE(clients[i].closed_by_server());
}

TEST_F(ServerIdle, AllWhoAskAtOnceAreAnswered) {
  start(roomy());
  std::vector<RawClient> clients;
  for (int i = 0; i < 300; ++i) clients.push_back(client());
  for (int round = 0; round < 3; ++round) {
    wait_until_parked(clients.size());
    for (RawClient& each : clients) each.send(get("/ping"));
    for (RawClient& each : clients) EXPECT_EQ(each.answer().body, "pong");
  }
}

TEST_F(ServerIdle, WhatIsPipelinedAfterAWaitIsAnsweredInOrder) {
  start();
  RawClient one = parked_client();
  one.send(get("/ping") + post("/echo", "second") + "GET /pi");
  EXPECT_EQ(one.answer().body, "pong");
  EXPECT_EQ(one.answer().body, "second");
  one.send("ng HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(one.answer().body, "pong");
}

TEST_F(ServerIdle, WhoAsksAndSendsNoMoreIsAnswered) {
  start();
  RawClient one = parked_client();
  one.send(get("/ping"));
  one.close_sending();
  EXPECT_EQ(one.answer().body, "pong");
  EXPECT_TRUE(one.closed_by_server());
}

TEST_F(ServerIdle, WhoGoesGivesItsPlaceBack) {
  start();
  RawClient half = parked_client();
  RawClient gone = parked_client();
  RawClient reset = parked_client();
  RawClient silent = client();
  wait_until_parked(4);
  half.close_sending();
  EXPECT_TRUE(half.closed_by_server());
  gone.close();
  const linger at_once{1, 0};
  ::setsockopt(reset.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  reset.close();
  silent.close();
  while (server_->connections() > 0) std::this_thread::yield();
  expect_alive();
}

TEST_F(ServerIdle, AByteAfterAWaitBeginsARequestWithItsDeadline) {
  ServerOptions options = one_listener();
  options.header_timeout_ms = 300;
  start(options);
  RawClient slow = parked_client();
  pollfd answered{slow.fd(), POLLIN, 0};
  do slow.send("G");
  while (::poll(&answered, 1, 20) == 0);
  const Answer answer = slow.answer();
  EXPECT_EQ(answer.status, 408);
  EXPECT_THAT(answer.body, HasSubstr("HEADERS_TOO_SLOW"));
}

TEST_F(ServerIdle, NonsenseAfterAWaitIsRefused) {
  start();
  RawClient one = parked_client();
  one.send(std::string(1 << 20, '\n'));
  EXPECT_EQ(one.answer().status, 400);
  EXPECT_TRUE(one.closed_by_server());
  expect_alive();
}

// Who is given no processor while its time is up cannot ask, and is given more.
TEST_F(ServerIdle, TimeIsUpForTheParkedOneByOne) {
  for (const int idle_ms : {2'000, 60'000}) {
    ServerOptions options = one_listener();
    options.idle_timeout_ms = idle_ms;
    start(options);
    RawClient early = client();
    RawClient asks = client();
    bool in_time = early.ask(get("/ping")).body == "pong";
    for (int i = 0; i < 2; ++i)  // its time begins anew
      in_time = asks.ask(get("/ping")).body == "pong" && in_time;
    EXPECT_TRUE(early.closed_by_server());
    EXPECT_TRUE(asks.closed_by_server());
    while (server_->parked() != 0) std::this_thread::yield();
    if (in_time) return;
  }
  ADD_FAILURE() << "there was no time to ask";
}

TEST_F(ServerIdle, StopEndsTheParkedAtOnce) {
  start(roomy());
  std::vector<RawClient> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(client());
  wait_until_parked(clients.size());
  server_->stop();
  EXPECT_EQ(server_->connections(), 0u);
  EXPECT_EQ(server_->parked(), 0u);
  for (RawClient& each : clients) EXPECT_TRUE(each.closed_by_server());
}

}  // namespace
}  // namespace paddock::http_server
