// What a controller answers that follows: what is stored. All else is for the leader to say.
#include <gmock/gmock.h>

#include "controller/api/node_test_support.h"
#include "controller/api/watch_test_support.h"
#include "controller/nodes/synchronize.h"
#include "tests/support/log_capture.h"

namespace paddock::api {
namespace {

using testing::HasSubstr;

class StandbyReads : public WatchTest {
 protected:
  StandbyReads() {
    make("a");
    services_.follows = true;
  }
  size_t audited() {
    size_t count = 0;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto all, txn.audit_events({}));
                      count = all.size();
                      return {};
                    })
                    .ok());
    return count;
  }
  void expect_for_leader(const Answer& answer, const std::string& what) {
    EXPECT_EQ(answer.status, 503) << what;
    EXPECT_EQ(answer.reason(), "NOT_LEADER") << what;
  }
};

TEST_F(StandbyReads, AnswerListsAndObjects) {
  EXPECT_EQ(call("GET", kRuns).body.find("items")->array()->size(), 1U);
  EXPECT_EQ(call("GET", cat(kRuns, "/a")).body.text("metadata.name"), "a");
  EXPECT_EQ(call("GET", "/api/v1/namespaces/default/pods").status, 200);
  EXPECT_EQ(call("GET", "/apis").status, 200);
  EXPECT_EQ(call("GET", cat(kRuns, "/none")).reason(), "RUN_NOT_FOUND") << "as the leader would";
  EXPECT_EQ(call("GET", cat(kRuns, "?limit=x")).status, 400);
}

TEST_F(StandbyReads, AnswerWatches) {
  const ActingStream seen =
      watch_target(cat(kRuns, "?watch=true"), [](ActingStream& own) { return own.events.empty(); });
  EXPECT_EQ(seen.types(), "A");
}

TEST_F(StandbyReads, SendEverythingElseToTheLeader) {
  for (const Route& route : routes()) {
    if (route.stored) continue;
    const std::string target = target_of(route.pattern, "a", std::string(64, 'a'));
    expect_for_leader(send(request_of(route.method, target, admin_), "{}"),
                      cat(route.method, " ", target));
  }
}

// The leader may be of a later version.
TEST_F(StandbyReads, SendWhatTheyDoNotKnowToTheLeader) {
  expect_for_leader(send(request_of("GET", "/apis/paddock.dev/v2/later", admin_)), "later");
  expect_for_leader(send(request_of("PURGE", kRuns, admin_)), "PURGE");
}

// A refusal is recorded, and a token may be known to the leader alone by now.
TEST_F(StandbyReads, RefuseNobodyThemselves) {
  const size_t before = audited();
  const std::string nodes_only = add_token("n", {"nodes:read"});
  for (const std::string& token : {std::string(), std::string("pdk-unknown"), nodes_only})
    expect_for_leader(send(request_of("GET", kRuns, token)), token);
  EXPECT_EQ(audited(), before);
}

// Whoever asks only standbys is seen there: nothing of it reaches the leader.
TEST_F(StandbyReads, TellInTheirLogWhatTheyLeaveToTheLeader) {
  const std::string nodes_only = add_token("n", {"nodes:read"});
  const test::LogCapture log;
  send(request_of("GET", kRuns, "pdk-unknown"));
  send(request_of("GET", kRuns, nodes_only));
  const std::string told = log.text();
  EXPECT_THAT(told, HasSubstr(R"("message":"denied")"));
  for (const char* reason : {"TOKEN_UNKNOWN", "SCOPE_MISSING"})
    EXPECT_THAT(told, HasSubstr(reason));
  EXPECT_THAT(metrics_.text(), HasSubstr("paddock_denials_total 2"));
}

TEST_F(StandbyReads, TellInTheirLogWhatFailedHere) {
  const Router broken =
      Router::build({{"GET", "/x", auth::Scope::kAuthenticated, kNoBody,
                      from_store([](Call&) -> Result<Response> {
                        return Error{Code::kInternal, "STORE_CORRUPT", "row 7 is odd"};
                      })}})
          .value();
  Request request = request_of("GET", "/x", admin_);
  const test::LogCapture log;
  EXPECT_EQ(make_handler(broken, services_)(request).status, 503);
  EXPECT_THAT(log.text(), HasSubstr("row 7 is odd"));
}

// What answers on a standby must not write: it would be refused there.
TEST_F(StandbyReads, AreMarkedAtRoutesThatReadAlone) {
  for (const Route& route : routes()) {
    if (route.stored) {
      EXPECT_STREQ(route.method, "GET") << route.pattern;
    }
  }
}

// It hears no node and counts no quota.
TEST_F(NodeApiTest, AStandbyShowsWhatTheLeaderShowsOrNothing) {
  make_workspace();
  enroll();
  contracts::SyncRequest hello;
  hello.process = "process-1";
  hello.status.emplace().capacity = {16, {int64_t{64} << 30}, {int64_t{1} << 40}, 16};
  ASSERT_TRUE(nodes::synchronize(*store_, leases_, "n1", hello, nodes::now(clock_)).ok());
  const Answer grant = call("POST", "/apis/paddock.dev/v1alpha1/namespaces/default/grants",
                            R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Grant",)"
                            R"("metadata":{"name":"a"},"spec":{"compute":{"quota":{"runs":1}}}})");
  ASSERT_EQ(grant.status, 201) << grant.text;
  ASSERT_EQ(call("POST", kRuns, run_text("a")).status, 201);
  ASSERT_TRUE(reconciler_.tick(nodes::now(clock_)).ok());
  clock_.advance(Millis(5'000));
  ASSERT_TRUE(leases_.renew("n1", "process-1", 0, nodes::now(clock_)).ok());

  nodes::LeaseTable unheard(clock_.mono());
  reconciler::Reconciler idle(*store_, unheard);
  Services standby{*store_,  notifier_, history_, unheard,  blobs_,
                   *intake_, clock_,    random_,  metrics_, idle};
  standby.follows = true;
  const Handler follower = make_handler(router_, standby);
  size_t shown = 0;
  for (const Route& route : routes()) {
    const std::string target = target_of(route.pattern, "a", std::string(64, 'a'));
    if (!route.stored || call("GET", target).status != 200) continue;
    Request request = request_of("GET", target, admin_);
    EXPECT_EQ(follower(request).body, call("GET", target).text) << target;
    ++shown;
  }
  EXPECT_GT(shown, 40U);
}

}  // namespace
}  // namespace paddock::api
