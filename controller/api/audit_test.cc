#include <gmock/gmock.h>

#include "controller/api/api_test_support.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/store/full_store_test_support.h"

namespace paddock::api {
namespace {

class Audit : public ApiTest {
 protected:
  std::vector<std::string> told(const std::string& query = {}) {
    const Answer answer = call("GET", "/audit" + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    const auto list = wire::decode<contracts::AuditList>(answer.body);
    std::vector<std::string> out;
    for (const contracts::AuditEvent& event : list->items)
      out.push_back(cat(event.type, " ", event.subject, " ", event.object));
    return out;
  }
};
using Told = std::vector<std::string>;

TEST_F(Audit, TellsWhoMadeChangedCancelledAndDeletedWhat) {
  make_workspace();
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  ASSERT_EQ(call("POST", cat(kRuns, "?dryRun=All"), run_text("dry")).status, 201);
  Request patch = request_of("PATCH", cat(kRuns, "/r"), admin_);
  patch.headers["content-type"] = "application/merge-patch+json";
  ASSERT_EQ(send(patch, R"({"metadata":{"labels":{"a":"b"}}})").status, 200);
  ASSERT_EQ(send(patch, R"({"metadata":{"labels":{"a":"b"}}})").status, 200);  // changes nothing
  ASSERT_EQ(call("POST", cat(kRuns, "/r/cancel")).status, 200);
  ASSERT_EQ(call("POST", cat(kRuns, "/r/cancel")).status, 200);
  ASSERT_EQ(call("DELETE", cat(kRuns, "/r")).status, 200);
  EXPECT_EQ(told(), (Told{"object.create admin workspaces/w", "workspace.write admin workspaces/w",
                          "object.create admin runs/r", "object.update admin runs/r",
                          "command.cancelled  runs/r", "run.cancel admin runs/r",
                          "object.delete admin runs/r"}));
}

// One record for each request that changes something, however many files it brings.
TEST_F(Audit, TellsWhoWroteAndRemovedWhichFilesOfAWorkspace) {
  make_workspace();
  const std::string digest = crypto::sha256_hex("print(1)\n");
  std::vector<std::string> paths;
  for (int i = 0; i < 400; ++i) paths.push_back(cat("f-", 1000 + i, ".py"));
  std::vector<std::string> entries;
  for (const std::string& path : paths)
    entries.push_back(
        cat(R"({"path":")", path, R"(","size":9,"executable":false,"digest":")", digest, "\"}"));
  const std::string tree = cat(R"({"entries":[)", join(entries, ","), "]}");
  const std::string writer = add_token("writer", {"workspaces:write"});
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(send(request_of("POST", cat(kWorkspaces, "/w/tree"), writer), tree).status, 200);
  const Answer answer = call("GET", "/audit?type=workspace.write");
  const auto list = wire::decode<contracts::AuditList>(answer.body);
  ASSERT_EQ(list->items.size(), 2U) << answer.text;
  const contracts::AuditEvent& first = list->items[0];
  EXPECT_EQ(first.details.at("writtenPaths"), R"(["s.py"])");
  EXPECT_FALSE(first.details.contains("was"));
  const contracts::AuditEvent& event = list->items[1];
  EXPECT_EQ(event.subject, "writer");
  EXPECT_EQ(event.object, "workspaces/w");
  EXPECT_FALSE(event.request_id.empty());
  const auto& told = event.details;
  EXPECT_EQ(told.at("was"), first.details.at("root"));
  EXPECT_EQ(told.at("files"), "400");
  EXPECT_EQ(told.at("bytes"), "3600");
  EXPECT_EQ(told.at("written"), "400");
  EXPECT_EQ(told.at("removed"), "1");
  EXPECT_EQ(told.at("removedPaths"), R"(["s.py"])");
  EXPECT_LE(told.at("writtenPaths").size(), contracts::kAuditText);
  EXPECT_TRUE(told.at("writtenPaths").starts_with(R"(["f-1000.py","f-1001.py")"));
  EXPECT_TRUE(wire::parse_json(told.at("writtenPaths")).ok());
}

TEST_F(Audit, TellsOfACancelWhicheverWayItIsAskedFor) {
  make_workspace();
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  Request patch = request_of("PATCH", cat(kRuns, "/r"), admin_);
  patch.headers["content-type"] = "application/merge-patch+json";
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(send(patch, R"({"spec":{"cancelRequested":true}})").status, 200);
  EXPECT_EQ(told("?type=run.cancel"), Told{"run.cancel admin runs/r"});
  EXPECT_EQ(told("?type=object.update"), Told{"object.update admin runs/r"});
}

// What is asked for without end leaves no record without end: not on a full disk either, where what
// ends something is written still.
TEST_F(Audit, ATokenThatHasEndedIsNotToldOfOnceMore) {
  make_workspace();
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  const Answer made = call("POST", cat(kRuns, "/r/tool-tokens"), R"({"operations":["run:read"]})");
  const std::string name = made.body.text("metadata.name");
  const std::string token = cat("/apis/paddock.dev/v1alpha1/namespaces/default/tooltokens/", name);
  for (int i = 0; i < 3; ++i) {
    const Answer revoked = call("POST", cat(token, "/revoke"));
    EXPECT_EQ(revoked.body.text("status.phase"), "Revoked") << revoked.text;
  }
  EXPECT_EQ(told("?type=object.update"), Told{cat("object.update admin tooltokens/", name)});
}

// Else a caller fills memory with records, and then the reserve by a deletion that writes them all.
TEST_F(Audit, WhatNoCommandCameOfIsNotCollectedWhileTheDiskIsFull) {
  contracts::Sandbox session;
  session.metadata.name_space = "default";
  session.metadata.name = "s";
  session.metadata.uid = "uid-s";
  session.spec.security.limits.command_bytes = 1;
  ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(session); }).ok());
  store::FullStore disk(*store_);
  Services services{disk,     notifier_, history_, leases_,  blobs_,
                    *intake_, clock_,    random_,  metrics_, reconciler_};
  services.later = services_.later;
  handler_ = make_handler(router_, services);
  const std::string sessions = "/apis/paddock.dev/v1alpha1/namespaces/default/sandboxes";
  const auto too_long = [&] {
    return call("POST", cat(sessions, "/s/commands"), R"({"command":"too long"})");
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(too_long().reason(), "STORE_FULL");
  ASSERT_EQ(call("DELETE", cat(sessions, "?labelSelector=a")).status, 200);
  disk.full = false;
  EXPECT_EQ(told("?type=limit.exceeded"), Told());
  EXPECT_EQ(too_long().status, 200);
  EXPECT_EQ(told("?type=limit.exceeded"), Told{"limit.exceeded admin sandboxes/s"});
}

TEST_F(Audit, TellsOfRefusalsToCallersThatAreKnownAndOfNoOthers) {
  const std::string reader = add_token("reader", {"runs:read"}, "team-a");
  EXPECT_EQ(send(request_of("DELETE", cat(kNodes, "/n1"), reader)).status, 403);
  EXPECT_EQ(send(request_of("GET", kNodes, "pdk_unknown")).status, 401);
  EXPECT_EQ(send(request_of("GET", kNodes, "")).status, 401);
  EXPECT_EQ(told(), Told{"access.denied reader "});
  const Answer answer = call("GET", "/audit?type=access.denied");
  const auto list = wire::decode<contracts::AuditList>(answer.body);
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(list->items[0].reason, "SCOPE_MISSING");
  EXPECT_EQ(list->items[0].details.at("path"), cat(kNodes, "/n1"));
  EXPECT_FALSE(list->items[0].request_id.empty());
}

TEST_F(Audit, ANoisyCallerIsCountedInsteadOfRecorded) {
  const std::string noisy = add_token("noisy", {"runs:read"});
  for (int i = 0; i < 150; ++i) send(request_of("DELETE", cat(kNodes, "/n1"), noisy));
  EXPECT_EQ(told("?subject=noisy").size(), 100U);
  clock_.advance(Millis(1000));
  send(request_of("DELETE", cat(kNodes, "/n1"), noisy));
  const Answer answer = call("GET", "/audit?subject=noisy&limit=1");
  EXPECT_EQ(answer.body.find("items")->array()->at(0).text("details.leftOut"), "50");
}

TEST_F(Audit, ToolTokensOfOneRunAreOneCaller) {
  make_workspace();
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  for (int token = 0; token < 3; ++token) {
    const std::string secret =
        call("POST", cat(kRuns, "/r/tool-tokens"), R"({"operations":["media:generate"]})")
            .body.text("status.token");
    ASSERT_FALSE(secret.empty());
    for (int i = 0; i < 60; ++i) send(request_of("DELETE", cat(kNodes, "/n1"), secret));
  }
  EXPECT_EQ(told("?type=access.denied").size(), 100U);
}

TEST_F(Audit, IsReadByThoseWhoMayAndInTheirOwnNamespace) {
  const std::string team = add_token("team", {"audit:read", "workspaces:write"}, "team-a");
  make_workspace();  // in default
  const std::string workspace =
      R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Workspace","metadata":{"name":"w"}})";
  const std::string mine = "/apis/paddock.dev/v1alpha1/namespaces/team-a";
  ASSERT_EQ(send(request_of("POST", cat(mine, "/workspaces"), team), workspace).status, 201);
  const Answer own = send(request_of("GET", cat(mine, "/audit"), team));
  EXPECT_EQ(own.body.find("items")->array()->size(), 1U);
  EXPECT_EQ(send(request_of("GET", "/audit", team)).reason(), "NAMESPACE_DENIED");
  const std::string other = add_token("other", {"runs:read"});
  EXPECT_EQ(send(request_of("GET", "/audit", other)).reason(), "SCOPE_MISSING");
}

TEST_F(Audit, RefusesQueriesThatMakeNoSense) {
  for (const char* query : {"?since=yesterday", "?after=-1", "?after=x", "?limit=0", "?limit=5001"})
    EXPECT_EQ(call("GET", cat("/audit", query)).reason(), "PARAMETER_INVALID") << query;
}

// An empty answer to a misspelt question would say that nothing happened.
TEST_F(Audit, RefusesATypeThatIsNoneAndNamesTheNearestFirst) {
  for (const char* type : {"capability.denid", "capability.*", "%27%20OR%201=1", "nosuch.type"})
    EXPECT_EQ(call("GET", cat("/audit?type=", type)).reason(), "PARAMETER_INVALID") << type;
  EXPECT_THAT(call("GET", "/audit?type=capability.*").text,
              testing::HasSubstr("nearest first: capability.denied, "));
  EXPECT_EQ(call("GET", "/audit?type=capability.denied").status, 200);
  EXPECT_EQ(call("GET", "/audit?type=").status, 200);
}

}  // namespace
}  // namespace paddock::api
