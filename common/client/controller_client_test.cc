#include "common/client/controller_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/client/client_test_support.h"
#include "common/client/requests.h"
#include "tests/support/http_server.h"

namespace paddock::client {
namespace {

using test::answer;
using test::HttpAnswer;
using test::HttpRequest;
using test::HttpServer;
using testing::ElementsAre;

TEST(OnThisHost, IsAUnixSocketOrALoopbackAddress) {
  for (const char* url : {"http://127.0.0.1:80", "https://127.9.9.9", "https://[::1]:8443",
                          "https://localhost:1", "https://localhost"})
    EXPECT_TRUE(on_this_host({url, {}, {}, {}})) << url;
  EXPECT_TRUE(on_this_host({"http://paddock", "/run/paddock.sock", {}, {}}));
  for (const char* url : {"https://10.0.0.7:8443", "https://localhost.example.org", "https://host",
                          "https://[::2]:1", "https://127-0-0-1.example"})
    EXPECT_FALSE(on_this_host({url, {}, {}, {}})) << url;
}

TEST(ControllerClient, CarriesTheServersOwnErrorAndSendsTheKey) {
  HttpServer server([](const HttpRequest&) {
    return error_answer(invalid_argument("UNKNOWN_FIELD", "unknown field", "spec.comand"));
  });
  ControllerClient client({server.url(), {}, {}, "pdk_x"});
  contracts::Run run;
  run.metadata.name_space = "ns";
  const Error error = client.create_run(run, "key-1").error();
  EXPECT_EQ(error.code, Code::kInvalidArgument);
  EXPECT_EQ(error.reason, "UNKNOWN_FIELD");
  EXPECT_THAT(error.causes, ElementsAre(Cause{"spec.comand", "unknown field"}));
  EXPECT_EQ(server.requests().at(0).headers.at("idempotency-key"), "key-1");
  EXPECT_EQ(server.requests().at(0).target, cat(kBase, "/namespaces/ns/runs"));
}

// A command in a session, say: nothing else tells that it was not begun.
TEST(ControllerClient, WaitsForWhoLeadsNextAlsoByAConnectionOfTheCallers) {
  struct Case {
    const char* reason;
    bool passes;
  };
  for (const Case& each :
       {Case{"NOT_LEADER", true}, Case{"STORE_FENCED", true}, Case{"NO_NODE", true},
        Case{"NODES_BUSY", true}, Case{"QUOTA_USED_UP", false}}) {
    HttpServer server([&, seen = 0](const HttpRequest&) mutable {
      if (++seen > 1) return answer(200, "done");
      return error_answer({Code::kUnavailable, Reason::parse(each.reason), "not now"});
    });
    ControllerClient client({server.url(), {}, {}, "pdk_x"});
    const auto http = http::make_client({server.url(), {}, {}, "pdk_x"});
    http::Request request = json_request("POST", "/exec", "{}");
    std::string heard;
    request.on_data = [&](std::string_view piece) {
      heard += piece;
      return true;
    };
    const auto sent = client.send_by(*http, request);
    EXPECT_EQ(sent.ok(), each.passes) << each.reason;
    EXPECT_EQ(heard, each.passes ? "done" : "");
    EXPECT_EQ(server.requests().size(), each.passes ? 2U : 1U);
  }
}

TEST(ControllerClient, ShowsNoPieceOfAnAnswerTwice) {
  HttpServer server([](const HttpRequest&) {
    return HttpAnswer{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome of it", true};
  });
  ControllerClient client({server.url(), {}, {}, "pdk_x"});
  const auto http = http::make_client({server.url(), {}, {}, "pdk_x"});
  http::Request request = read_request("/log", ListForm::kObjects);
  int heard = 0;
  request.on_data = [&](std::string_view) { return ++heard > 0; };
  EXPECT_FALSE(client.send_by(*http, request).ok());
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(BoundTry, EndsTheSilenceOfNothingThatMustNotBeSentTwiceOrTakesItsTime) {
  const auto bounded = [](Millis timeout, Millis idle, bool repeatable) {
    http::Request request;
    request.timeout = timeout;
    request.idle_timeout = idle;
    bound_try(request, Millis(5'000), repeatable);
    EXPECT_EQ(request.connect_timeout, Millis(4'000));
    EXPECT_EQ(request.timeout, timeout) << "an answer that comes may come slowly";
    return request.idle_timeout;
  };
  EXPECT_EQ(bounded(Millis(30'000), Millis(0), true), Millis(5'000));
  EXPECT_EQ(bounded(Millis(0), Millis(30'000), true), Millis(5'000));
  EXPECT_EQ(bounded(Millis(0), Millis(1'000), true), Millis(1'000));
  EXPECT_EQ(bounded(Millis(30'000), Millis(0), false), Millis(0));
  EXPECT_EQ(bounded(Millis(120'000), Millis(0), true), Millis(0));
  http::Request request;
  bound_try(request, std::nullopt, true);
  EXPECT_EQ(request.connect_timeout, http::Request().connect_timeout);
  EXPECT_EQ(request.idle_timeout, Millis(0));
}

TEST(ControllerClient, RepeatsWhatIsSafeAndNothingElse) {
  const auto busy_once = [](int failures) {
    return [failures, seen = 0](const HttpRequest&) mutable {
      return ++seen <= failures ? error_answer({Code::kUnavailable, "QUOTA_USED_UP", "later"})
                                : answer(200, "{}");
    };
  };
  {
    HttpServer server(busy_once(1));
    ControllerClient client({server.url(), {}, {}, {}});
    EXPECT_TRUE(client.get("/x").ok());
    EXPECT_EQ(server.requests().size(), 2U);
  }
  {
    HttpServer server(busy_once(1));
    ControllerClient client({server.url(), {}, {}, {}});
    EXPECT_EQ(client.send("POST", "/x", wire::Value::Object{}).error().reason, "QUOTA_USED_UP");
    EXPECT_EQ(server.requests().size(), 1U);
  }
  {
    HttpServer server(busy_once(1));
    ControllerClient client({server.url(), {}, {}, {}});
    EXPECT_EQ(client.synchronize("n", {}).error().reason, "QUOTA_USED_UP");
    EXPECT_EQ(server.requests().size(), 1U);
  }
}

TEST(ControllerClient, CallsAnAnswerThatIsNotJsonUnexpected) {
  HttpServer server([](const HttpRequest&) { return answer(200, "<html>"); });
  ControllerClient client({server.url(), {}, {}, {}});
  EXPECT_EQ(client.send("POST", "/x", wire::Value::Object{}).error().reason, "UNEXPECTED_ANSWER");
}

}  // namespace
}  // namespace paddock::client
