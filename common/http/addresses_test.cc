// Several controllers of which one leads: who does not is passed over, whoever shares the endpoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/http/http_client.h"
#include "tests/support/http_server.h"

namespace paddock::http {
namespace {

using test::answer;
using test::HttpRequest;
using test::HttpServer;
using testing::ElementsAre;

constexpr const char* kNobody = "http://127.0.0.1:1";

Request post() {
  Request request;
  request.method = "POST";
  request.target = "/x";
  request.body = "content";
  return request;
}

HttpServer standby() {
  return HttpServer(
      [](const HttpRequest&) { return answer(503, "{}", cat(kLeaderHeader, ": elsewhere\r\n")); });
}

TEST(Addresses, AreSeparatedByCommas) {
  EXPECT_THAT(addresses_in("https://a:1"), ElementsAre("https://a:1"));
  EXPECT_THAT(addresses_in("https://a:1/, http://b:2//"), ElementsAre("https://a:1", "http://b:2"));
  EXPECT_THAT(addresses_in("https://a:1,b:2"), ElementsAre("https://a:1,b:2"))
      << "one that is refused";
}

TEST(Addresses, OneThatIsNoAddressIsAskedNothing) {
  for (const char* url : {"https://a:1,b:2", "http://127.0.0.1:1,ftp://b", "", "http://a@b"})
    EXPECT_EQ(make_client({url})->send(post()).error().reason, "BAD_URL") << url;
}

TEST(Addresses, WhoIsAwayOrDoesNotLeadIsPassedOver) {
  const HttpServer waiting = standby();
  HttpServer leader([](const HttpRequest& asked) { return answer(200, asked.body); });
  const Endpoint endpoint{cat(kNobody, ",", waiting.url(), ",", leader.url()), {}, {}, "token"};
  const auto client = make_client(endpoint);
  EXPECT_EQ(client->send(post()).value().body, "content");
  EXPECT_EQ(waiting.requests().size(), 1U);
  EXPECT_EQ(address_of(endpoint), leader.url());
  EXPECT_EQ(make_client(endpoint)->send(post()).value().status, 200);
  EXPECT_EQ(waiting.requests().size(), 1U) << "all who share the endpoint have moved on";
}

TEST(Addresses, WhereNobodyLeadsTheLastAnswerIsTold) {
  const HttpServer one = standby();
  const HttpServer two = standby();
  const auto client = make_client({cat(one.url(), ",", two.url())});
  EXPECT_EQ(client->send(post()).value().status, 503);
  EXPECT_EQ(one.requests().size() + two.requests().size(), 2U) << "each once: patience is others'";
}

TEST(Addresses, WhatMayHaveBeenDoneIsNotSentElsewhere) {
  HttpServer breaks([](const HttpRequest&) {
    return test::HttpAnswer{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", .close = true};
  });
  HttpServer other([](const HttpRequest&) { return answer(200, "other"); });
  const auto client = make_client({cat(breaks.url(), ",", other.url())});
  EXPECT_EQ(client->send(post()).error().reason, "CONNECTION_BROKEN");
  EXPECT_TRUE(other.requests().empty());
  EXPECT_EQ(client->send(post()).value().body, "other") << "the next request begins there";
}

TEST(Addresses, AnOrdinaryRefusalIsAnAnswer) {
  HttpServer full([](const HttpRequest&) { return answer(503, "{}"); });
  HttpServer other([](const HttpRequest&) { return answer(200, "other"); });
  EXPECT_EQ(make_client({cat(full.url(), ",", other.url())})->send(post()).value().status, 503);
  EXPECT_TRUE(other.requests().empty());
}

}  // namespace
}  // namespace paddock::http
