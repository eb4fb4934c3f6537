#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/client/controller_client.h"
#include "tests/support/http_server.h"

namespace paddock::client {
namespace {

using test::answer;
using test::HttpAnswer;
using test::HttpRequest;
using test::HttpServer;
using test::script;
using testing::ElementsAre;
using testing::HasSubstr;

HttpAnswer page(const std::string& name, const std::string& next) {
  return answer(200, cat(R"({"metadata":{"resourceVersion":"7","continue":")", next,
                         R"("},"items":[{"metadata":{"name":")", name, "\"}}]}"));
}

struct Listed {
  Status status;
  std::vector<std::string> names;
};
Listed list(const HttpServer& server, ListForm form = ListForm::kObjects) {
  ControllerClient client({server.url(), {}, {}, {}});
  Listed out;
  out.status = client.list("/runs", form, [&](wire::Value& part) -> Status {
    for (const wire::Value& each : *part.find("items")->array())
      out.names.push_back(each.text("metadata.name"));
    return {};
  });
  return out;
}
std::vector<std::string> targets(const HttpServer& server) {
  std::vector<std::string> out;
  for (const HttpRequest& each : server.requests()) out.push_back(each.target);
  return out;
}

TEST(Lists, AreReadInParts) {
  HttpServer server(script({page("a", "x="), page("b", "y"), page("c", "")}));
  const Listed all = list(server);
  ASSERT_TRUE(all.status.ok()) << all.status.error().describe();
  EXPECT_THAT(all.names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(targets(server), ElementsAre("/runs?limit=100", "/runs?limit=100&continue=x%3D",
                                           "/runs?limit=100&continue=y"));
}

// Much was read for it, and nothing was what was asked for.
TEST(Lists, GoOnBehindAnEmptyPart) {
  HttpServer server(
      script({answer(200, R"({"metadata":{"continue":"x"},"items":[]})"),
              answer(200, R"({"metadata":{"continue":"y"},"items":[]})"), page("a", "")}));
  EXPECT_THAT(list(server).names, ElementsAre("a"));
}

TEST(Lists, WhoseAnswerIsTooLargeAreAskedForInSmallerParts) {
  HttpServer server(script({page("a", "x"),
                            answer(413, R"({"kind":"Status","code":413,"message":"too much",)"
                                        R"("error":{"code":"ANSWER_TOO_LARGE","message":"m"}})"),
                            page("b", "")}));
  const Listed all = list(server);
  ASSERT_TRUE(all.status.ok()) << all.status.error().describe();
  EXPECT_THAT(all.names, ElementsAre("a", "b"));
  EXPECT_THAT(targets(server), ElementsAre("/runs?limit=100", "/runs?limit=100&continue=x",
                                           "/runs?limit=50&continue=x"));
}

TEST(Lists, ThatBreakInTheMiddleAreAskedForOnceMoreAndElseAnError) {
  HttpServer broken(script({page("a", "x"), {"", true}, page("b", "")}));
  EXPECT_THAT(list(broken).names, ElementsAre("a", "b"));
  HttpServer refused(
      script({page("a", "x"), answer(410, R"({"kind":"Status","code":410,"message":"too old",)"
                                          R"("error":{"code":"EXPIRED","message":"m"}})")}));
  const Listed part = list(refused);
  EXPECT_FALSE(part.status.ok());
  EXPECT_THAT(part.names, ElementsAre("a"));
}

TEST(Lists, ThatGoRoundInCirclesEnd) {
  HttpServer server(script({page("a", "x"), page("b", "x"), page("b", "x")}));
  EXPECT_EQ(list(server).status.error().reason, "UNEXPECTED_ANSWER");
}

}  // namespace
}  // namespace paddock::client
