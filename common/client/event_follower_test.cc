#include "common/client/event_follower.h"

#include <atomic>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contracts/status.h"
#include "common/wire/json.h"
#include "tests/support/http_server.h"

namespace paddock::client {
namespace {

using contracts::RunEvent;
using test::answer;
using test::chunk;
using test::chunked_head;
using test::HttpAnswer;
using test::HttpRequest;
using test::HttpServer;
using test::script;
using testing::ElementsAre;

constexpr Millis kPatience{300'000};

std::string output(int id, const std::string& text) {
  return cat("id: ", id, "\nevent: stdout\ndata: {\"time\":", id, ",\"data\":\"", text, "\"}\n\n");
}
std::string end(int id) {
  return cat("id: ", id, "\nevent: end\ndata: {\"phase\":\"Succeeded\",\"rc\":0}\n\n");
}

HttpAnswer refused_stream(const Error& error) {
  return answer(contracts::http_status(error.code), wire::to_json(contracts::status_body(error)));
}

struct Followed {
  Status status;
  std::vector<std::string> events;
};
Followed follow(const HttpServer& server, int64_t after = 0, Millis patience = kPatience) {
  ControllerClient client({server.url(), {}, {}, {}});
  Followed out;
  out.status = client.follow_events("ns", "run", after, patience, [&](const RunEvent& event) {
    out.events.push_back(cat(event.id, " ", event.type, " ", event.data));
    return true;
  });
  return out;
}

TEST(FollowEvents, ResumesAcrossBrokenConnectionsWithoutLossOrRepetition) {
  const std::string third = output(3, "three");
  HttpServer server(script({
      // Breaks in the middle of event 3, in the middle of a chunk.
      {chunked_head() + chunk(output(1, "one") + output(2, "two")) + "ff\r\n" + third.substr(0, 20),
       true},
      // Repeats event 2, then ends properly but without the last event.
      {chunked_head() + chunk(": hb\n\n" + output(2, "two")) + chunk(third.substr(0, 7)) +
       chunk(third.substr(7)) + chunk("")},
      {chunked_head() + chunk(output(4, "four") + end(5)) + chunk("")},
  }));
  const Followed followed = follow(server);
  ASSERT_TRUE(followed.status.ok()) << followed.status.error().describe();
  EXPECT_THAT(followed.events,
              ElementsAre("1 stdout one", "2 stdout two", "3 stdout three", "4 stdout four",
                          R"(5 end {"phase":"Succeeded","rc":0})"));
  const std::vector<HttpRequest> requests = server.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].target, "/apis/paddock.dev/v1alpha1/namespaces/ns/runs/run/events");
  EXPECT_FALSE(requests[0].headers.contains("last-event-id"));
  EXPECT_EQ(requests[1].headers.at("last-event-id"), "2");
  EXPECT_EQ(requests[2].headers.at("last-event-id"), "3");
}

TEST(FollowEvents, GivesTheBytesOfOutputThatIsNoText) {
  HttpServer server(script(
      {{chunked_head() +
        chunk("id: 1\nevent: stdout\ndata: {\"data\":\"\xEF\xBF\xBD\",\"base64\":\"/w==\"}\n\n" +
              output(2, "text") + end(3)) +
        chunk("")}}));
  const Followed followed = follow(server);
  ASSERT_TRUE(followed.status.ok()) << followed.status.error().describe();
  ASSERT_EQ(followed.events.size(), 3U);
  EXPECT_EQ(followed.events[0], "1 stdout \xFF");
  EXPECT_EQ(followed.events[1], "2 stdout text");
}

constexpr const char* kStart = "event: start\ndata: {}\n\n";

struct Ending {
  Result<bool> known = false;
  std::vector<std::string> events;
};
Ending follow_ending(const HttpServer& server) {
  ControllerClient client({server.url(), {}, {}, {}});
  Ending out;
  out.known = client.follow_log("ns", "run", {.tail_lines = 2, .since_seconds = 9}, kPatience,
                                [&](const RunEvent& event) {
                                  out.events.push_back(cat(event.id, " ", event.data));
                                  return true;
                                });
  return out;
}

TEST(FollowLog, BeginsAtItsLastLinesAndResumesBehindWhatItHas) {
  HttpServer server(script({
      {chunked_head() + chunk(kStart), true},  // ends before there is anything
      {chunked_head() + chunk(kStart) + chunk(output(7, "seven")), true},
      {chunked_head() + chunk(output(8, "eight") + end(9)) + chunk("")},
  }));
  const Ending ending = follow_ending(server);
  ASSERT_TRUE(ending.known.ok()) << ending.known.error().describe();
  EXPECT_TRUE(*ending.known);
  EXPECT_THAT(ending.events,
              ElementsAre("7 seven", "8 eight", R"(9 {"phase":"Succeeded","rc":0})"));
  const std::vector<HttpRequest> requests = server.requests();
  ASSERT_EQ(requests.size(), 3U);
  for (const size_t i : {0U, 1U})
    EXPECT_THAT(requests[i].target, testing::EndsWith("/events?tailLines=2&sinceSeconds=9"));
  EXPECT_THAT(requests[2].target, testing::EndsWith("/events"));
  EXPECT_EQ(requests[2].headers.at("last-event-id"), "7");
}

TEST(FollowLog, TellsOfAnEarlierServerThatBeginsAtTheFirstEvent) {
  HttpServer server(script({{chunked_head() + chunk(output(1, "one") + end(2)) + chunk("")}}));
  const Ending ending = follow_ending(server);
  ASSERT_TRUE(ending.known.ok());
  EXPECT_FALSE(*ending.known);
  EXPECT_TRUE(ending.events.empty());
}

TEST(FollowEvents, AsksAgainWhenAnEventIsMissing) {
  HttpServer server(script({
      {chunked_head() + chunk(output(8, "a") + output(10, "c"))},
      {chunked_head() + chunk(output(9, "b") + output(10, "c") + end(11))},
  }));
  EXPECT_THAT(follow(server, 7).events, ElementsAre("8 stdout a", "9 stdout b", "10 stdout c",
                                                    R"(11 end {"phase":"Succeeded","rc":0})"));
  EXPECT_EQ(server.requests()[0].headers.at("last-event-id"), "7");
  EXPECT_EQ(server.requests()[1].headers.at("last-event-id"), "8");
}

TEST(FollowEvents, GivesUpOnAServerThatKeepsLeavingAnEventOut) {
  HttpServer server(script({{chunked_head() + chunk(output(1, "a") + output(3, "c") + end(4))}}));
  const Followed followed = follow(server);
  ASSERT_FALSE(followed.status.ok());
  EXPECT_EQ(followed.status.error().reason, "UNEXPECTED_ANSWER");
  EXPECT_THAT(followed.status.error().message,
              testing::AllOf(testing::HasSubstr("3"), testing::HasSubstr("2")));
  EXPECT_THAT(followed.events, ElementsAre("1 stdout a"));
  EXPECT_EQ(server.requests().size(), 4U);
}

TEST(FollowEvents, WaitsOutAServerThatIsBusyOrRestarting) {
  HttpServer server(script({
      refused_stream({Code::kUnavailable, "SERVER_STOPPING", "not yet"}),
      {"", true},
      {chunked_head() + chunk(end(1))},
  }));
  EXPECT_TRUE(follow(server).status.ok());
}

TEST(FollowEvents, EndsAtOnceOnAnAnswerThatWillNotChange) {
  for (const Code code :
       {Code::kNotFound, Code::kUnauthenticated, Code::kPermissionDenied, Code::kGone}) {
    HttpServer server(script({refused_stream({code, Reason::parse("THE_REASON"), "why"})}));
    const Followed followed = follow(server);
    ASSERT_FALSE(followed.status.ok());
    EXPECT_EQ(followed.status.error().code, code);
    EXPECT_EQ(followed.status.error().reason, "THE_REASON");
    EXPECT_EQ(server.requests().size(), 1U);
  }
}

TEST(FollowEvents, GivesUpWhenItsPatienceIsOver) {
  HttpServer server(script({{"", true}}));
  const Followed followed = follow(server, 0, Millis(50));
  ASSERT_FALSE(followed.status.ok());
  EXPECT_EQ(followed.status.error().reason, "STREAM_LOST");
  EXPECT_EQ(followed.status.error().code, Code::kUnavailable);
}

TEST(FollowEvents, GivesUpThenThoughTheServerAsksForLonger) {
  HttpServer server(script({answer(503, "{}", "Retry-After: 600\r\n")}));
  const Followed followed = follow(server, 0, Millis(50));
  ASSERT_FALSE(followed.status.ok());
  EXPECT_EQ(followed.status.error().reason, "STREAM_LOST");
}

TEST(FollowEvents, StopsWhenTheCallerHasEnough) {
  HttpServer server(script({{chunked_head() + chunk(output(1, "a") + output(2, "b"))}}));
  ControllerClient client({server.url(), {}, {}, {}});
  int calls = 0;
  EXPECT_TRUE(
      client
          .follow_events("ns", "run", 0, kPatience, [&](const RunEvent&) { return ++calls, false; })
          .ok());
  EXPECT_EQ(calls, 1);
}

TEST(FollowEvents, RefusesWhatIsNotAnEventStream) {
  for (const std::string& event : {std::string("data: {}\n\n"), std::string("id: x\ndata: {}\n\n"),
                                   std::string("id: 1\nevent: stdout\ndata: {}\n\n"),
                                   std::string("id: 1\nevent: phase\ndata: not json\n\n")}) {
    HttpServer server(script({{chunked_head() + chunk(event)}}));
    EXPECT_EQ(follow(server).status.error().reason, "UNEXPECTED_ANSWER") << event;
  }
  HttpServer page(script({answer(200, "<html>", "Content-Type: text/html\r\n")}));
  EXPECT_EQ(follow(page).status.error().reason, "UNEXPECTED_ANSWER");
}

TEST(FollowEvents, IsEndedFromAnotherThreadEvenBetweenConnections) {
  std::unique_ptr<ControllerClient> client;  // outlives the server's thread, which is in abort()
  std::atomic<ControllerClient*> target{nullptr};
  HttpServer server([&](const HttpRequest&) {
    target.load()->abort();
    return refused_stream({Code::kUnavailable, "NODES_BUSY", "later"});
  });
  client = std::make_unique<ControllerClient>(http::Endpoint{server.url(), {}, {}, {}});
  target = client.get();
  const Status status =
      client->follow_events("ns", "run", 0, kPatience, [](const RunEvent&) { return true; });
  EXPECT_EQ(status.error().reason, "ABORTED");
}

TEST(DecodeEvent, TakesTheTextOfOutputAndTheDocumentOfTheRest) {
  EXPECT_EQ(decode_event({"4", "stderr", R"({"time":"2026-01-02T03:04:05Z","data":"a\n"})"})->data,
            "a\n");
  EXPECT_EQ(decode_event({"4", "stderr", R"({"time":"2026-01-02T03:04:05Z","data":""})"})->time_ms,
            1'767'323'045'000);
  EXPECT_EQ(decode_event({"5", "phase", R"({"phase":"Running"})"})->data, R"({"phase":"Running"})");
}

}  // namespace
}  // namespace paddock::client
