// Clients over TLS that wait, read late, go politely or vanish, over real connections.
#include <thread>

#include "controller/http_server/server_tls_fixture.h"

namespace paddock::http_server {
namespace {

using testing::HasSubstr;

TEST_F(ServerTls, AnswersMadeByStepsWaitForALateReaderAndServeOn) {
  start(tls_listener());
  TlsClient late(server_->port(0), {ours().ca.certificate_pem});
  late.send(get("/steps/much"));
  ASSERT_TRUE(handled_.wait_until(1));
  while (server_->parked() != 1) std::this_thread::yield();  // it waits for room
  EXPECT_GT(late.read_until("0\r\n\r\n").size(), size_t{200} << 16);
  TlsClient one(server_->port(0), {ours().ca.certificate_pem});
  one.send(get("/steps/feed") + get("/ping"));  // both in one record
  while (feed_.listening() != 1) std::this_thread::yield();
  feed_.say("end");
  EXPECT_THAT(one.read_until("pong"), HasSubstr("end"));
  one.send(get("/ping"));
  EXPECT_THAT(one.read_until("pong"), HasSubstr("200 OK"));
}

TEST_F(ServerTls, StepsEndForAClientThatGoes) {
  start(tls_listener());
  for (const bool politely : {true, false}) {
    const int before = ended_.count();
    TlsClient one(server_->port(0), {ours().ca.certificate_pem});
    one.send(get("/steps/feed"));
    while (feed_.listening() != 1) std::this_thread::yield();
    if (politely) one.say_goodbye();
    one.close();
    ASSERT_TRUE(ended_.wait_until(before + 1));
  }
}

TEST_F(ServerTls, AStreamEndsWhenItsClientGoesPolitelyOrNot) {  // T18: never seen over TLS
  start(tls_listener());
  for (const bool politely : {true, false}) {
    const int before = ended_.count();
    TlsClient one(server_->port(0), {ours().ca.certificate_pem});
    one.send(get("/stream/forever"));
    ASSERT_THAT(one.read_until("begun"), HasSubstr("begun"));
    if (politely) one.say_goodbye();
    one.shut();
    EXPECT_TRUE(ended_.wait_until(before + 1));
  }
}

TEST_F(ServerTls, WhatTlsHasDecryptedIsNotWaitedForAsIfItWereToCome) {
  start(tls_listener());
  TlsClient one(server_->port(0), {ours().ca.certificate_pem});
  std::string asked;  // one record of 16 KiB, of which the server reads 4 KiB at a time
  constexpr int kRequests = 400;
  for (int i = 0; i < kRequests - 1; ++i) asked += get("/ping");
  ASSERT_LT(asked.size(), 16u << 10);
  for (int round = 0; round < 2; ++round) {
    one.send(asked);
    one.send(get("/nowhere"));
    const int before = round * kRequests;
    EXPECT_THAT(one.read_until("NOT_FOUND"), HasSubstr("pong"));
    EXPECT_EQ(handled_.count(), before + kRequests);
    while (server_->parked() != 1) std::this_thread::yield();
  }
}

TEST_F(ServerTls, WhoWaitsHoldsNoThreadAndMayGoPolitelyOrNot) {
  start(tls_listener());
  for (const bool politely : {true, false}) {
    TlsClient one(server_->port(0), {ours().ca.certificate_pem});
    for (int turn = 0; turn < 2; ++turn) {
      while (server_->parked() != 1) std::this_thread::yield();
      one.send(get("/ping"));
      EXPECT_THAT(one.read_until("pong"), HasSubstr("200 OK"));
    }
    while (server_->parked() != 1) std::this_thread::yield();
    if (politely) one.say_goodbye();
    one.shut();
    while (server_->connections() > 0) std::this_thread::yield();
  }
}

TEST_F(ServerTls, AClientThatVanishesWhileItIsWrittenToIsOnlyAnError) {  // T16: SIGPIPE
  start(tls_listener());
  for (int i = 0; i < 10; ++i) {
    TlsClient one(server_->port(0), {ours().ca.certificate_pem});
    one.send(get("/stream/flood"));
    ASSERT_THAT(one.read_until("ffff"), HasSubstr("ffff"));
    one.close();
    ASSERT_TRUE(ended_.wait_until(i + 1));
  }
}

}  // namespace
}  // namespace paddock::http_server
