#include "common/client/object_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/client/controller_client.h"
#include "tests/support/http_server.h"

namespace paddock::client {
namespace {

using test::answer;
using test::chunk;
using test::chunked_head;
using test::HttpAnswer;
using test::HttpRequest;
using test::HttpServer;
using test::script;
using testing::ElementsAre;
using testing::HasSubstr;

std::string line(const std::string& type, const std::string& name, int version) {
  return cat(R"({"type":")", type, R"(","object":{"metadata":{"name":")", name,
             R"(","resourceVersion":")", version, "\"}}}\n");
}
std::string gone() {
  return R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"}})"
         "\n";
}

struct Watched {
  Status status;
  std::vector<std::string> changes;
};
Watched watch(const HttpServer& server, size_t most, Millis patience = Millis(300'000)) {
  ControllerClient client({server.url(), {}, {}, {}});
  Watched out;
  out.status = client.follow_objects(
      "/runs?a=b", "7", patience, [&](std::string_view type, const wire::Value& object) {
        out.changes.push_back(cat(type, " ", object.text("metadata.name")));
        return out.changes.size() < most;
      });
  return out;
}

TEST(FollowObjects, GoesOnBehindTheLastChangeWhenTheConnectionBreaks) {
  const std::string second = line("MODIFIED", "b", 9);
  HttpServer server(script({
      {chunked_head() + chunk(line("ADDED", "a", 8) + second.substr(0, 20)), true},
      {chunked_head() + chunk(second.substr(0, 5)) + chunk(second.substr(5)) +
       chunk(line("BOOKMARK", "", 30)) + chunk("")},
      {chunked_head() + chunk(line("DELETED", "a", 31)) + chunk("")},
  }));
  const Watched followed = watch(server, 3);
  ASSERT_TRUE(followed.status.ok()) << followed.status.error().describe();
  EXPECT_THAT(followed.changes, ElementsAre("ADDED a", "MODIFIED b", "DELETED a"));
  std::vector<std::string> targets;
  for (const HttpRequest& each : server.requests()) targets.push_back(each.target);
  EXPECT_THAT(targets, ElementsAre(HasSubstr("/runs?a=b&watch=true"), HasSubstr("=8"),
                                   HasSubstr("resourceVersion=30")));
}

TEST(FollowObjects, HearsSoonThatNobodyIsThereOfServersThatSendManyBookmarks) {
  EXPECT_EQ(watch_silence({}), Millis(90'000));
  EXPECT_EQ(watch_silence(Millis(60'000)), Millis(90'000)) << "one a minute";
  EXPECT_EQ(watch_silence(Millis(15'000)), Millis(45'000));
}

TEST(FollowObjects, SaysWhenTheHistoryIsGone) {
  HttpServer server(script({{chunked_head() + chunk(line("ADDED", "a", 8) + gone()) + chunk("")}}));
  const Watched followed = watch(server, 9);
  EXPECT_EQ(followed.status.error().code, Code::kGone);
  EXPECT_THAT(followed.changes, ElementsAre("ADDED a"));
}

TEST(FollowObjects, EndsAtWhatNoTryingAgainMends) {
  HttpServer refuses(script({answer(403, "{}")}));
  EXPECT_EQ(watch(refuses, 1).status.error().code, Code::kPermissionDenied);
  HttpServer talks(script({{chunked_head() + chunk("hello\n") + chunk("")}}));
  EXPECT_EQ(watch(talks, 1).status.error().reason, "UNEXPECTED_ANSWER");
}

TEST(FollowObjects, GivesUpWhenPatienceIsOver) {
  HttpServer server(script({answer(503, "{}")}));
  EXPECT_EQ(watch(server, 1, Millis(1)).status.error().reason, "STREAM_LOST");
}

}  // namespace
}  // namespace paddock::client
