// Answers that are made by steps: between two of them they hold no thread, and nothing of what a
// client may do holds up the others.
#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {
namespace {

class ServerSteps : public ServerTest {
 protected:
  static ServerOptions patient() {
    ServerOptions options = one_listener();
    options.idle_timeout_ms = options.write_timeout_ms = 3'600'000;
    return options;
  }
  static ServerOptions impatient() {
    ServerOptions options = one_listener();
    options.write_timeout_ms = 300;
    return options;
  }
  void wait_until_listening(size_t count) {
    while (feed_.listening() != count) std::this_thread::yield();
  }
  // A client that reads late: it asks for a document for which its connection has no room yet.
  RawClient late_reader() {
    RawClient late = client();
    late.send(get("/steps/much"));
    EXPECT_TRUE(handled_.wait_until(1));
    while (server_->parked() != 1) std::this_thread::yield();
    return late;
  }
  // They wait for the feed.
  std::vector<RawClient> readers(size_t count, const std::string& request = get("/steps/feed")) {
    std::vector<RawClient> out;
    for (size_t i = 0; i < count; ++i) {
      out.push_back(client());
      out.back().send(request);
    }
    wait_until_listening(count);
    return out;
  }
};

TEST_F(ServerSteps, ThousandsThatWaitHoldNoThreadAndAreAllTold) {
  const size_t count = as_many_as(2'000);
  start(patient());
  std::vector<RawClient> all = readers(count);
  while (server_->parked() != count) std::this_thread::yield();
  EXPECT_EQ(server_->connections(), count);
  while (threads() > 40) std::this_thread::yield();  // those of the requests are kept some seconds
  feed_.say("news, ");
  wait_until_listening(count);
  EXPECT_LE(threads(), 40U);
  feed_.say("end");
  for (RawClient& each : all) EXPECT_EQ(each.answer().body, ":news, end");
  ASSERT_TRUE(ended_.wait_until(static_cast<int>(count)));
}

TEST_F(ServerSteps, NothingIsMissedOrSaidTwiceWhereverARingFalls) {
  start(patient());
  std::vector<RawClient> all = readers(20);
  std::string whole;
  std::mutex order;
  std::vector<std::thread> speakers;
  for (int speaker = 0; speaker < 4; ++speaker) {
    speakers.emplace_back([&, speaker] {
      for (int i = 0; i < 300; ++i) {
        std::lock_guard lock(order);
        const std::string said = cat("<", speaker, "/", i, ">");
        whole += said;
        feed_.say(said);
      }
    });
  }
  for (std::thread& speaker : speakers) speaker.join();
  feed_.say("end");
  for (RawClient& each : all) EXPECT_EQ(each.answer().body, cat(":", whole, "end"));
}

TEST_F(ServerSteps, TimeMakesAStepToo) {
  start(patient());
  const Answer answer = ask(get("/steps/ticks"));
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.body, ":abc");
  EXPECT_EQ(answer.header("transfer-encoding"), "chunked");
}

TEST_F(ServerSteps, ThatAskWhatDoesNotAnswerHoldUpNobodyElse) {
  start(patient());
  std::vector<RawClient> asking = readers(40, get("/steps/asks"));
  const size_t before = threads();
  feed_.say("asks, ");
  EXPECT_EQ(ask(get("/steps/ticks")).body, ":abc");
  ASSERT_TRUE(ended_.wait_until(1));
  EXPECT_EQ(ended_.count(), 1) << "none of those that ask has ended";
  EXPECT_LE(threads(), before + 1) << "they take no threads but those that there are";
  feed_.say("end");
  for (RawClient& each : asking) EXPECT_EQ(each.answer().body, ":?asked!");
}

TEST_F(ServerSteps, ThatAskAreEndedByAStop) {
  start(patient());
  std::vector<RawClient> asking = readers(40, get("/steps/asks"));
  feed_.say("asks, ");
  server_->stop();
  EXPECT_EQ(server_->connections(), 0U);
  EXPECT_EQ(ended_.count(), 40);
}

TEST_F(ServerSteps, TheConnectionServesOnWhenTheyEnd) {
  start(patient());
  RawClient one = client();
  one.send(get("/steps/feed") + get("/steps/once") + get("/ping"));  // pipelined
  wait_until_listening(1);
  feed_.say("end");
  EXPECT_EQ(one.answer().body, ":end");
  EXPECT_EQ(one.answer().body, ":a");
  EXPECT_EQ(one.answer().body, "pong");
  EXPECT_EQ(one.ask(get("/steps/ticks")).body, ":abc");
  while (server_->parked() != 1) std::this_thread::yield();
  EXPECT_EQ(one.ask(get("/ping")).body, "pong");
  EXPECT_EQ(one.ask(get("/steps/ticks", "Connection: close\r\n")).body, ":abc");
  EXPECT_TRUE(one.closed_by_server());
}

TEST_F(ServerSteps, HeadHasNone) {
  start(patient());
  RawClient one = client();
  one.send("HEAD /steps/feed HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/ping"));
  EXPECT_EQ(one.answer(true).status, 200);
  EXPECT_EQ(one.answer().body, "pong");
  EXPECT_EQ(ended_.count(), 1);
}

TEST_F(ServerSteps, EndForAClientThatGoesAlsoAfterStrayBytes) {
  start(patient());
  std::vector<RawClient> all = readers(5);
  all[0].close();
  const linger at_once{1, 0};
  ::setsockopt(all[1].fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  all[1].close();
  all[2].send("stray bytes");
  all[2].close();
  all[3].close_sending();
  EXPECT_EQ(all[3].answer().body, ":") << "who sends no more is told of the end";
  EXPECT_TRUE(all[3].closed_by_server());
  ASSERT_TRUE(ended_.wait_until(4));
  while (server_->connections() != 1) std::this_thread::yield();
  EXPECT_EQ(feed_.listening(), 1U);
  feed_.say("end");
  EXPECT_EQ(all[4].answer().body, ":end");
}

TEST_F(ServerSteps, WhatAStepThrowsBreaksTheAnswerOffAndSaysNoMore) {
  start(patient());
  RawClient one = client();
  one.send(get("/steps/throws"));
  const std::string all = one.read_to_end();
  EXPECT_THAT(all, testing::Not(testing::HasSubstr("secret")));
  EXPECT_FALSE(all.ends_with("0\r\n\r\n"));
  ASSERT_TRUE(ended_.wait_until(1));
  expect_alive();
}

// Half a document must not look like a whole answer.
TEST_F(ServerSteps, OneThatCannotGoOnBreaksItsAnswerOff) {
  start(patient());
  RawClient one = client();
  one.send(get("/steps/breaks"));
  const std::string all = one.read_to_end();
  EXPECT_THAT(all, testing::HasSubstr("begun"));
  EXPECT_FALSE(all.ends_with("0\r\n\r\n"));
  ASSERT_TRUE(ended_.wait_until(1));
  expect_alive();
}

TEST_F(ServerSteps, AClientThatDoesNotReadIsGivenUpAndHoldsUpNobody) {
  start(impatient());
  std::vector<RawClient> deaf;
  for (int i = 0; i < 40; ++i) {
    deaf.push_back(client());
    deaf.back().send(get("/steps/flood"));
  }
  EXPECT_EQ(ask(get("/steps/ticks")).body, ":abc");
  ASSERT_TRUE(ended_.wait_until(41));
  while (server_->connections() > 1) std::this_thread::yield();
  expect_alive();
}

TEST_F(ServerSteps, AClientThatReadsLateGetsAllOfIt) {
  start(patient());
  RawClient late = late_reader();
  const Answer answer = late.answer();
  EXPECT_TRUE(answer.complete);
  ASSERT_EQ(answer.body.size(), 1 + (size_t{200} << 16));
  for (size_t piece = 0; piece < 200; ++piece)
    ASSERT_EQ(answer.body.compare(1 + (piece << 16), 1 << 16,
                                  std::string(1 << 16, static_cast<char>('a' + piece % 26))),
              0);
}

TEST_F(ServerSteps, AStopBreaksADocumentOffAndDoesNotEndIt) {
  start(patient());
  RawClient late = late_reader();
  server_->stop();
  const std::string part = late.read_to_end();
  EXPECT_LT(part.size(), size_t{200} << 16);
  EXPECT_FALSE(part.ends_with("0\r\n\r\n"));
}

// At its end such a connection lingers for what its client may still send, for many seconds.
TEST_F(ServerSteps, ABodyThatNobodyReadsHoldsUpNobodyElse) {
  start(patient());
  std::vector<RawClient> all = readers(
      40, "POST /steps/feed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n");
  feed_.say("end");
  for (RawClient& each : all) EXPECT_EQ(each.answer().body, ":end");
  std::atomic<bool> over{false};
  std::thread senders([&] {
    while (!over) {
      for (RawClient& each : all) each.send("x");
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(ask(get("/steps/ticks")).body, ":abc");
  EXPECT_GE(server_->connections(), 40U) << "they linger still";
  over = true;
  senders.join();
}

TEST_F(ServerSteps, StopEndsThemAtOnceAndSaysSo) {
  start(patient());
  std::vector<RawClient> all = readers(200);
  RawClient deaf = client();
  deaf.send(get("/steps/flood"));
  ASSERT_TRUE(handled_.wait_until(201));
  while (server_->parked() != 201) std::this_thread::yield();
  server_->stop();
  EXPECT_EQ(server_->connections(), 0U);
  EXPECT_EQ(ended_.count(), 201);
  EXPECT_EQ(feed_.listening(), 0U);
  for (RawClient& each : all) {
    const Answer answer = each.answer();
    EXPECT_TRUE(answer.complete);
    EXPECT_EQ(answer.body, ":");
    EXPECT_TRUE(each.closed_by_server());
  }
  feed_.say("nobody hears it");
}

TEST_F(ServerSteps, AStopBetweenRingsLosesNobody) {
  for (int round = 0; round < 20; ++round) {
    start(patient());
    std::vector<RawClient> all = readers(20);
    std::atomic<bool> over{false};
    std::thread speaker([&] {
      while (!over) feed_.say("x");
    });
    server_->stop();
    EXPECT_EQ(server_->connections(), 0U);
    over = true;
    speaker.join();
    EXPECT_EQ(feed_.listening(), 0U);
  }
}

}  // namespace
}  // namespace paddock::http_server
