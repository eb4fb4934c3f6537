// Answers that cannot be given yet: whoever waits for one holds no thread, and hears it soon.
#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {
namespace {

class ServerLater : public ServerTest {
 protected:
  static ServerOptions patient() {
    ServerOptions options = one_listener();
    options.idle_timeout_ms = options.write_timeout_ms = 3'600'000;
    return options;
  }
  std::vector<RawClient> waiting(size_t count) {
    std::vector<RawClient> out;
    for (size_t i = 0; i < count; ++i) {
      out.push_back(client());
      out.back().send(post("/later/long", "a body"));
    }
    while (feed_.listening() != count) std::this_thread::yield();
    return out;
  }
};

TEST_F(ServerLater, AreGivenOnceThereIsNews) {
  start(patient());
  std::vector<RawClient> all = waiting(200);
  while (server_->parked() != 200) std::this_thread::yield();
  EXPECT_EQ(ended_.count(), 0);
  feed_.say("news");
  for (RawClient& each : all) {
    const Answer answer = each.answer();
    EXPECT_EQ(answer.body, ":news");
    EXPECT_EQ(answer.header("content-length"), "5");
  }
  for (RawClient& each : all) EXPECT_EQ(each.ask(get("/ping")).body, "pong") << "it serves on";
  EXPECT_EQ(ended_.count(), 200);
}

TEST_F(ServerLater, AreGivenWhenTheirTimeIsOver) {
  start(patient());
  RawClient one = client();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(one.ask(get("/later")).body, ":");
  one.send(get("/later") + get("/ping"));
  EXPECT_EQ(one.answer().body, ":");
  EXPECT_EQ(one.answer().body, "pong");
  EXPECT_EQ(one.ask(get("/later", "Connection: close\r\n")).body, ":");
  EXPECT_TRUE(one.closed_by_server());
}

TEST_F(ServerLater, ThatAreNotDueAfterAllGoOnWaiting) {
  start(patient());
  RawClient one = client();
  RawClient leaves = client();
  one.send(get("/later/doubts") + get("/ping"));
  leaves.send(get("/later/doubts"));
  const auto both_wait = [this] {
    while (feed_.listening() != 2 || server_->parked() != 2) std::this_thread::yield();
  };
  both_wait();
  for (int round = 1; round <= 3; ++round) {
    feed_.say("x");
    ASSERT_TRUE(settled_.wait_until(2 * round));
    both_wait();
  }
  EXPECT_EQ(ended_.count(), 0);
  leaves.close();
  ASSERT_TRUE(ended_.wait_until(1)) << "nobody is left who would want it settled";
  EXPECT_EQ(settled_.count(), 6);
  feed_.say("end");
  EXPECT_EQ(one.answer().body, "xxxend");
  EXPECT_EQ(one.answer().body, "pong");
}

TEST_F(ServerLater, StopGivesThoseThatAreNotDueToo) {
  start(patient());
  RawClient one = client();
  one.send(get("/later/doubts"));
  while (feed_.listening() != 1) std::this_thread::yield();
  server_->stop();
  EXPECT_EQ(one.answer().status, 200);
  EXPECT_EQ(ended_.count(), 1);
}

TEST_F(ServerLater, AreNotBehindStreamsThatHaveMuchToSay) {
  start(patient());
  std::vector<RawClient> streams;
  for (int i = 0; i < 20; ++i) {  // more than there are threads for steps
    streams.push_back(client());
    streams.back().send(get("/steps/computes"));
  }
  while (feed_.listening() != 20) std::this_thread::yield();
  feed_.say("much, ");
  RawClient agent = client();
  agent.send(get("/later/long"));
  while (feed_.listening() != 1) std::this_thread::yield();
  feed_.say("news");
  EXPECT_EQ(agent.answer().body, ":news");
  EXPECT_EQ(ended_.count(), 1) << "of the streams none has ended";
  feed_.say("end");
  for (RawClient& each : streams) EXPECT_TRUE(each.answer().complete);
}

TEST_F(ServerLater, MayBeRefusalsAndAnswerHead) {
  start(patient());
  std::vector<RawClient> all = waiting(1);
  RawClient head = client();
  head.send("HEAD /later/long HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/ping"));
  while (feed_.listening() != 2) std::this_thread::yield();
  feed_.say("refuse");
  const Answer refused = all[0].answer();
  EXPECT_EQ(refused.status, 410);
  EXPECT_THAT(refused.body, testing::HasSubstr("\"GONE\""));
  EXPECT_EQ(head.answer(true).status, 410);
  EXPECT_EQ(head.answer().body, "pong");
}

TEST_F(ServerLater, AreMadeForAClientThatGoesSoThatItsPlaceIsFree) {
  start(patient());
  std::vector<RawClient> all = waiting(3);
  all[0].close();
  all[1].close_sending();
  EXPECT_EQ(all[1].answer().body, ":");
  EXPECT_TRUE(all[1].closed_by_server());
  ASSERT_TRUE(ended_.wait_until(2));
  while (server_->connections() != 1) std::this_thread::yield();
  EXPECT_EQ(feed_.listening(), 1U);
}

TEST_F(ServerLater, StopGivesThemAtOnce) {
  start(patient());
  std::vector<RawClient> all = waiting(100);
  server_->stop();
  EXPECT_EQ(server_->connections(), 0U);
  EXPECT_EQ(ended_.count(), 100);
  for (RawClient& each : all) {
    EXPECT_EQ(each.answer().body, ":");
    EXPECT_TRUE(each.closed_by_server());
  }
}

TEST_F(ServerLater, NobodyIsForgottenWhereverARingFalls) {
  start(patient());
  std::atomic<bool> over{false};
  std::thread speaker([&] {
    while (!over) {
      feed_.say("x");
      std::this_thread::yield();
    }
  });
  std::vector<RawClient> all;
  for (int i = 0; i < 8; ++i) all.push_back(client());
  for (int round = 0; round < 100; ++round) {
    for (RawClient& each : all) each.send(get("/later/long"));
    for (RawClient& each : all) ASSERT_THAT(each.answer().body, testing::StartsWith(":x"));
  }
  over = true;
  speaker.join();
}

}  // namespace
}  // namespace paddock::http_server
