// Nobody takes all connections: a share for each, and a rest that is kept.
#include "controller/api/server/open_requests.h"

#include <algorithm>

#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

using Places = std::vector<std::shared_ptr<OpenRequests::Permit>>;

auth::Principal holder(const std::string& subject, std::vector<std::string> scopes = {"runs:read"},
                       const std::string& name_space = "team") {
  return {subject, std::move(scopes), name_space, "id-of-" + subject};
}
auth::Principal admin() { return holder("admin", auth::admin_scopes(), ""); }
auth::Principal node(const std::string& name) {
  return holder(auth::node_subject(name), auth::node_scopes(), "");
}

// As many as there is room for, at most `most`; the refusal of the next.
std::string fill(OpenRequests& open, const auth::Principal& who, Places& places, size_t most,
                 bool endless = false) {
  for (size_t i = 0; i < most; ++i) {
    auto place = open.enter(who);
    if (!place) return place.error().reason;
    if (endless) {
      const Status made = (*place)->make_endless();
      if (!made) return made.error().reason;
    }
    places.push_back(*place);
  }
  return {};
}

TEST(OpenRequests, OneHolderHasAQuarterWhateverItsTokens) {
  OpenRequests open(64);
  Places places;
  EXPECT_EQ(fill(open, holder("greedy"), places, 100), "TOO_MANY_OPEN_REQUESTS");
  EXPECT_EQ(places.size(), 16U);
  auth::Principal second = holder("greedy");
  second.token_id = "another token";
  const auto refused = open.enter(second);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kResourceExhausted);
  EXPECT_EQ(refused.error().facts.at(0).first, "retryAfterSeconds");
  EXPECT_TRUE(open.enter(holder("modest")).ok());
  EXPECT_TRUE(open.enter(holder("greedy", {"runs:read"}, "another team")).ok());
  places.pop_back();
  EXPECT_TRUE(open.enter(second).ok());
  places.clear();
  EXPECT_EQ(open.held_by(second), 0U);
}

TEST(OpenRequests, ARunHasOneShareForAllItsToolTokens) {
  OpenRequests open(64);
  const auto token_of = [](const std::string& token, const std::string& uid) {
    auth::Principal tool = holder(token, {});
    tool.tool = auth::ToolAuthority{"team", token, "r", uid, {}, {}, {}};
    return tool;
  };
  Places places;
  EXPECT_EQ(fill(open, token_of("one", "uid-1"), places, 100), "TOO_MANY_OPEN_REQUESTS");
  EXPECT_FALSE(open.enter(token_of("two", "uid-1")).ok());
  EXPECT_TRUE(open.enter(token_of("three", "uid-2")).ok());
}

TEST(OpenRequests, ManyHoldersLeaveRoomForShortRequestsAgentsAndAdministrators) {
  OpenRequests open(64);
  Places places;
  const auto each_alone = [](const std::string& subject) {
    return holder(subject, {"runs:read"}, cat("team-of-", subject));
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(fill(open, each_alone(cat("watcher-", i)), places, 16, true), "");
  }
  EXPECT_EQ(fill(open, each_alone("watcher-2"), places, 1, true), "CONNECTIONS_RESERVED");
  EXPECT_EQ(places.size(), 32U);
  for (int i = 0; i < 2; ++i) {
    fill(open, each_alone(cat("uploader-", i)), places, 16);
  }
  EXPECT_EQ(places.size(), 60U);  // a sixteenth is left
  EXPECT_EQ(fill(open, holder("short"), places, 1), "CONNECTIONS_RESERVED");
  EXPECT_EQ(fill(open, node("n1"), places, 1, true), "");
  EXPECT_EQ(fill(open, admin(), places, 40, true), "");
  // A name like a node's does not make one.
  EXPECT_EQ(fill(open, holder("node:n2"), places, 1), "CONNECTIONS_RESERVED");
  places.clear();
  EXPECT_EQ(fill(open, each_alone("watcher-2"), places, 16, true), "");
}

// Whoever may make tokens of one namespace can appear as any number of holders, with any number of
// runs.
TEST(OpenRequests, AllHoldersOfANamespaceLeaveRoomForOtherNamespaces) {
  OpenRequests open(64);
  Places places;
  auth::Principal run = holder("tool", {});
  run.tool = auth::ToolAuthority{"team", "tool", "r", "uid-1", {}, {}, {}};
  fill(open, holder("one"), places, 16, true);
  fill(open, holder("two"), places, 4, true);
  EXPECT_EQ(fill(open, run, places, 16, true), "TOO_MANY_OPEN_REQUESTS");
  EXPECT_EQ(places.size(), 24U) << "three eighths";
  const auto refused = open.enter(holder("three"));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("namespace"), std::string::npos);
  EXPECT_EQ(fill(open, holder("one", {"runs:read"}, "another team"), places, 8, true), "");
  EXPECT_TRUE(open.enter(holder("of all", {"runs:read"}, "")).ok());
  places.clear();
  EXPECT_EQ(fill(open, holder("three"), places, 16, true), "");
}

class OpenRequestsOfTheApi : public ApiTest {
 protected:
  OpenRequestsOfTheApi() { services_.open_requests = std::make_shared<OpenRequests>(8); }
  Answer get(const std::string& token, const std::string& target = cat(kRuns, "?watch=true")) {
    return send(request_of("GET", target, token));
  }
};

TEST_F(OpenRequestsOfTheApi, WatchesBeyondTheShareAreRefusedUntilOneEnds) {
  const std::string narrow = add_token("narrow", {"runs:read"}, "default");
  std::vector<Answer> watches;
  for (int i = 0; i < 2; ++i) {
    watches.push_back(get(narrow));
    ASSERT_EQ(watches.back().status, 200) << watches.back().text;
  }
  const Answer refused = get(narrow);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.reason(), "TOO_MANY_OPEN_REQUESTS");
  const auto& headers = refused.response.headers;
  EXPECT_TRUE(std::ranges::any_of(
      headers, [](const auto& each) { return each.first == "retry-after" && each.second == "5"; }));
  EXPECT_EQ(get(add_token("other", {"runs:read"}, "default"), kRuns).status, 200);
  for (int i = 0; i < 20; ++i) {
    watches.push_back(get(admin_));
    EXPECT_EQ(watches.back().status, 200);
  }
  watches.clear();
  EXPECT_EQ(get(narrow).status, 200);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get(narrow, kRuns).status, 200);  // each one ends
}

TEST_F(OpenRequestsOfTheApi, FilesOfPreviewsShareOneShare) {
  make_workspace();
  const Answer link = call("GET", cat(kWorkspaces, "/w/preview-url?file=s.py"));
  const std::string url = link.body.text("url");
  ASSERT_FALSE(url.empty()) << link.text;
  std::vector<Answer> slow;
  for (int i = 0; i < 2; ++i) {
    slow.push_back(get("", url));
    ASSERT_EQ(slow.back().status, 200) << slow.back().text;
  }
  EXPECT_EQ(get("", url).reason(), "TOO_MANY_OPEN_REQUESTS");
  EXPECT_EQ(get("", "/livez").status, 200);
  slow.clear();
  EXPECT_EQ(get("", url).status, 200);
}

TEST_F(OpenRequestsOfTheApi, WhatIsRefusedHoldsNoPlace) {
  const std::string narrow = add_token("narrow", {"runs:read"}, "default");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(get(narrow, cat(kRuns, "/none")).status, 404);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(get(narrow, kNodes).status, 403);
  EXPECT_EQ(get(narrow).status, 200);
}

}  // namespace
}  // namespace paddock::api
