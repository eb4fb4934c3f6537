// DELETE of a collection: what matches goes, by the rules of a single delete.
#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

class Collections : public ApiTest {
 protected:
  static constexpr int kMany = 205;  // more than two parts

  Collections() { make_workspace(); }

  void make_runs(std::initializer_list<const char*> names, bool ended = true) {
    for (const char* name : names) {
      ASSERT_EQ(call("POST", kRuns, run_text(name)).status, 201);
      if (ended) end_run(name);
    }
  }
  void make_workspaces(int count, const std::string& label) {
    for (int i = 0; i < count; ++i) {
      const std::string body =
          cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Workspace","metadata":{"name":"w-)",
              label, "-", i, R"(","labels":{"of":")", label, "\"}}}");
      ASSERT_EQ(call("POST", kWorkspaces, body).status, 201);
    }
  }
  std::string names(const char* collection) {
    std::string out;
    const Answer answer = call("GET", collection);
    for (const wire::Value& each : *answer.body.find("items")->array())
      out += each.text("metadata.name") + " ";
    return out;
  }
  static size_t items(const Answer& answer) {
    const wire::Value* found = answer.body.find("items");
    return found == nullptr ? 0 : found->array()->size();
  }
  size_t audited() {
    size_t count = 0;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      store::AuditQuery query;
                      query.type = contracts::audit::kObjectDelete;
                      ASSIGN_OR_RETURN(const auto events, txn.audit_events(query));
                      count = events.size();
                      return {};
                    })
                    .ok());
    return count;
  }
};

TEST_F(Collections, LoseWhatMatchesAndTheAnswerListsIt) {
  make_runs({"a", "b", "c"});
  Answer answer = call("DELETE", cat(kRuns, "?fieldSelector=metadata.name=b"));
  ASSERT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(answer.body.text("kind"), "RunList");
  ASSERT_EQ(items(answer), 1u);
  EXPECT_EQ(answer.body.find("items")->array()->at(0).text("metadata.name"), "b");
  EXPECT_EQ(names(kRuns), "a c ");
  answer = call("DELETE", kRuns);
  EXPECT_EQ(items(answer), 2u) << answer.text;
  EXPECT_EQ(names(kRuns), "");
  EXPECT_EQ(items(call("DELETE", kRuns)), 0u);
  EXPECT_EQ(audited(), 3u);
}

TEST_F(Collections, AreDeletedInParts) {
  make_workspaces(kMany, "x");
  make_workspaces(3, "y");
  const Answer answer = call("DELETE", cat(kWorkspaces, "?labelSelector=of=x"));
  ASSERT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(items(answer), static_cast<size_t>(kMany));
  EXPECT_EQ(names(kWorkspaces), "w w-y-0 w-y-1 w-y-2 ");
}

TEST_F(Collections, CancelWhatWaitsAndKeepWhatIsHeld) {
  make_runs({"done"});
  make_runs({"waits", "waits-too"}, false);
  Request hold = request_of("PATCH", cat(kRuns, "/waits"), admin_);
  hold.headers["content-type"] = "application/merge-patch+json";
  ASSERT_EQ(send(hold, R"({"metadata":{"finalizers":["a.example/x"]}})").status, 200);
  const Answer answer = call("DELETE", kRuns);
  EXPECT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(items(answer), 3u);
  EXPECT_EQ(names(kRuns), "waits ");
  EXPECT_EQ(call("GET", cat(kRuns, "/waits")).body.text("status.phase"), "Canceled");
}

TEST_F(Collections, StayInADryRun) {
  make_runs({"a", "b"});
  const Answer answer = call("DELETE", cat(kRuns, "?dryRun=All"));
  EXPECT_EQ(items(answer), 2u) << answer.text;
  EXPECT_EQ(names(kRuns), "a b ");
  EXPECT_EQ(call("DELETE", kRuns, R"({"kind":"DeleteOptions","dryRun":["All"]})").status, 200);
  EXPECT_EQ(names(kRuns), "a b ");
  EXPECT_EQ(audited(), 0u);
}

TEST_F(Collections, HoldPreconditionsLikeASingleDelete) {
  make_runs({"a", "b"});
  const std::string uid = call("GET", cat(kRuns, "/a")).body.text("metadata.uid");
  const Answer answer = call("DELETE", kRuns, cat(R"({"preconditions":{"uid":")", uid, "\"}}"));
  EXPECT_EQ(answer.status, 409) << answer.text;
  EXPECT_EQ(answer.reason(), "PRECONDITION_FAILED");
  EXPECT_EQ(names(kRuns), "b ");
}

TEST_F(Collections, AreNotMeantByAnEmptyNameOrAPartOfAList) {
  make_runs({"a"});
  EXPECT_EQ(call("DELETE", cat(kRuns, "/")).reason(), "NAME_REQUIRED");
  for (const char* part : {"limit=1", "continue=x", "resourceVersion=5", "fieldSelector=x=y",
                           "labelSelector=(", "dryRun=Some"})
    EXPECT_EQ(call("DELETE", cat(kRuns, "?", part)).status, 400) << part;
  EXPECT_EQ(names(kRuns), "a ");
  EXPECT_EQ(call("DELETE", "/apis/paddock.dev/v1alpha1/runs").status, 405);
  EXPECT_EQ(call("DELETE", kNodes).status, 405);
}

TEST_F(Collections, StayInTheirNamespaceAndNeedTheScope) {
  make_runs({"a"});
  EXPECT_EQ(send(request_of("DELETE", kRuns, add_token("r", {"runs:read"}))).status, 403);
  EXPECT_EQ(send(request_of("DELETE", kRuns, add_token("o", {"*"}, "other"))).status, 403);
  EXPECT_EQ(call("DELETE", "/apis/paddock.dev/v1alpha1/namespaces/other/runs").status, 200);
  EXPECT_EQ(names(kRuns), "a ");
}

TEST_F(Collections, AreCutShortWithTheirClient) {
  make_workspaces(kMany, "x");
  Request request = request_of("DELETE", kWorkspaces, admin_);
  int asked = 0;
  request.client.connected = [&] { return ++asked == 1; };
  const Answer answer = send(request);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.reason(), "DELETION_CUT_SHORT");
  EXPECT_NE(answer.text.find("100 "), std::string::npos) << answer.text;
}

// What deleting one of them means for others is done for each.
TEST_F(Collections, OfToolTokensEndThem) {
  make_runs({"r"}, false);
  const Answer made = call("POST", cat(kRuns, "/r/tool-tokens"), R"({"operations":["run:read"]})");
  ASSERT_EQ(made.status, 201) << made.text;
  const auto use = [&] {
    return send(request_of("GET", cat(kRuns, "/r"), made.body.text("status.token"))).status;
  };
  EXPECT_EQ(use(), 200);
  const std::string tokens = "/apis/paddock.dev/v1alpha1/namespaces/default/tooltokens";
  EXPECT_EQ(items(call("DELETE", cat(tokens, "?fieldSelector=spec.run=other"))), 0u);
  EXPECT_EQ(use(), 200);
  EXPECT_EQ(items(call("DELETE", cat(tokens, "?fieldSelector=spec.run=r"))), 1u);
  EXPECT_EQ(use(), 401);
}

TEST_F(Collections, AreMetadataAloneWhenAsked) {
  make_runs({"a"});
  Request request = request_of("DELETE", kRuns, admin_);
  request.headers["accept"] =
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
  const Answer answer = send(request);
  EXPECT_EQ(answer.body.text("kind"), "PartialObjectMetadataList") << answer.text;
  EXPECT_EQ(answer.body.find("items")->array()->at(0).find("spec"), nullptr);
}

}  // namespace
}  // namespace paddock::api
