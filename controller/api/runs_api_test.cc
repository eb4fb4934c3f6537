#include "controller/api/api_test_support.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::api {
namespace {

using Runs = ApiTest;

TEST_F(Runs, AreCreatedWithEverythingFilledInThatTheyWillRunWith) {
  make_workspace();
  const Answer answer = call("POST", kRuns, run_text("r1"));
  ASSERT_EQ(answer.status, 201) << answer.text;
  EXPECT_EQ(answer.body.text("status.phase"), "Pending");
  EXPECT_EQ(answer.body.text("spec.timeout"), "30m");
  EXPECT_EQ(answer.body.text("spec.mediaExecution.mode"), "enabled");
  EXPECT_EQ(answer.body.text("status.workspaceRoot").size(), 64u);
  EXPECT_NE(answer.body.at("status.policy.limits"), nullptr);
  EXPECT_EQ(call("GET", cat(kRuns, "/r1")).body.text("metadata.uid"),
            answer.body.text("metadata.uid"));
  EXPECT_EQ(call("POST", kRuns, run_text("r1")).reason(), "RUN_ALREADY_EXISTS");
}

TEST_F(Runs, AreMadeOnceHoweverOftenOneRequestIsSent) {
  make_workspace();
  Request request = request_of("POST", kRuns, admin_);
  request.headers["idempotency-key"] = "k1";
  const std::string text =
      R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"generateName":"job-"},"spec":{"type":"compute","command":"python3 s.py","workspace":"w"}})";
  const Answer first = send(request, text);
  const Answer second = send(request, text);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(first.body.text("metadata.name"), second.body.text("metadata.name"));
  Request spelled = request_of("POST", cat(kRuns, "/"), admin_);
  spelled.headers["idempotency-key"] = "k1";
  EXPECT_EQ(send(spelled, text).body.text("metadata.name"), first.body.text("metadata.name"));
  const Answer other = send(request, run_text("other"));
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(other.reason(), "IDEMPOTENCY_KEY_REUSED");
  EXPECT_EQ(call("GET", kRuns).body.find("items")->array()->size(), 1u);
}

TEST_F(Runs, AreRefusedWithTheRuleAndTheField) {
  make_workspace();
  const Answer answer = call("POST", kRuns, run_text("r1", R"(,"timeout":"100h")"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.reason(), "TIMEOUT_OVER_CEILING");
  EXPECT_EQ(answer.body.at("error.details.causes")->array()->at(0).text("field"), "spec.timeout");
  EXPECT_EQ(answer.body.text("details.name"), "r1") << "kubectl says whom it is about";
  EXPECT_EQ(call("POST", kRuns, run_text("r1", R"(,"comand":"x")")).reason(), "UNKNOWN_FIELD");
  EXPECT_EQ(call("POST", kRuns, run_text("r1", R"(,"priority":"high")")).reason(), "INVALID_FIELD");
  EXPECT_EQ(call("POST", cat(kRuns, "?dryRun=Some"), run_text("r1")).reason(), "PARAMETER_INVALID");
  EXPECT_EQ(call("GET", kRuns).body.find("items")->array()->size(), 0u);
}

// A dry run with the files that are still to be sent is the refusal that the run would get then.
TEST_F(Runs, AreTriedBeforeTheirFilesAreSent) {
  const std::string digest(64, 'a');
  const auto trial = [&](const std::string& file, const std::string& spec = {}) {
    std::string body = run_text("r1", spec);
    body.insert(body.rfind('}'), cat(R"(,"tree":{"entries":[{"path":")", file, R"(","digest":")",
                                     digest, R"(","size":1}]})"));
    return call("POST", cat(kRuns, "?dryRun=All"), body);
  };
  const Answer good = trial("s.py", cat(R"(,"workspaceRoot":")", digest, R"(")"));
  ASSERT_EQ(good.status, 201) << good.text;
  EXPECT_EQ(good.body.text("spec.workspace"), "w") << "which does not exist yet";
  EXPECT_EQ(trial("other.py").reason(), "SCRIPT_NOT_FOUND");
  EXPECT_EQ(trial("s.py", R"(,"timeout":"100h")").reason(), "TIMEOUT_OVER_CEILING");
  EXPECT_EQ(trial("s.py", R"(,"media":{"allow":["nobody"]})").status, 400);
  EXPECT_EQ(trial("/s.py").body.at("error.details.causes")->array()->at(0).text("field"),
            "tree.entries[0].path");

  // Only a dry run has such a member.
  std::string body = run_text("r1");
  body.insert(body.rfind('}'), R"(,"tree":null)");
  EXPECT_EQ(call("POST", kRuns, body).reason(), "UNKNOWN_FIELD");
  EXPECT_EQ(call("POST", cat(kRuns, "?dryRun=All"), body).status, 201);

  make_workspace();
  ASSERT_EQ(call("POST", kRuns, run_text("r1")).status, 201);
  EXPECT_EQ(trial("s.py").reason(), "RUN_ALREADY_EXISTS");
  EXPECT_EQ(call("GET", kRuns).body.find("items")->array()->size(), 1U);
}

TEST_F(Runs, OfCodeNeedNoWorkspaceAndKeepTheirDataAsItCame) {
  const auto text = [](const char* rest) {
    return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"c"},)",
               R"("spec":{"type":"code","code":"pass")", rest, "}}");
  };
  const Answer answer = call("POST", kRuns, text(R"(,"inputData":{"a":[1,null],"b":{}})"));
  ASSERT_EQ(answer.status, 201) << answer.text;
  EXPECT_EQ(answer.body.text("spec.profile"), "code");
  EXPECT_EQ(answer.body.at("spec.command"), nullptr);
  EXPECT_NE(answer.text.find(R"("inputData":{"a":[1,null],"b":{}})"), std::string::npos);
  const Answer large = call("POST", kRuns, text(R"(,"inputData":{"a":18446744073709551616})"));
  EXPECT_EQ(large.status, 400) << large.text;
  EXPECT_EQ(call("POST", kRuns, text(R"(,"command":"python3 s.py")")).reason(),
            "FIELD_NOT_SUPPORTED");
  EXPECT_EQ(call("POST", "/apis/paddock.dev/v1alpha1/namespaces/default/plan",
                 text(R"(,"timeout":"100h")"))
                .reason(),
            "TIMEOUT_OVER_CEILING");
}

TEST_F(Runs, NeedAWorkspaceThatHasFiles) {
  EXPECT_EQ(call("POST", kRuns, run_text("r1")).reason(), "WORKSPACE_NOT_FOUND");
  call("POST", kWorkspaces,
       R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Workspace","metadata":{"name":"w"}})");
  EXPECT_EQ(call("POST", kRuns, run_text("r1")).reason(), "WORKSPACE_EMPTY");
}

TEST_F(Runs, OfATreeThatTheWorkspaceHoldsNoMoreAreRefused) {
  make_workspace();
  const std::string root = call("GET", cat(kWorkspaces, "/w")).body.text("status.root");
  const auto with_root = [](const std::string& given) {
    return cat(R"(,"workspaceRoot":")", given, R"(")");
  };
  EXPECT_EQ(call("POST", kRuns, run_text("r1", with_root(root))).status, 201);
  const Answer answer = call("POST", kRuns, run_text("r2", with_root(std::string(64, 'a'))));
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.reason(), "WORKSPACE_CHANGED");
  EXPECT_EQ(answer.body.at("error.details.causes")->array()->at(0).text("field"),
            "spec.workspaceRoot");
  const Answer nowhere =
      call("POST", kRuns,
           R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"r3"},)"
           R"("spec":{"type":"compute","command":"python3 -m this","workspaceRoot":"x"}})");
  EXPECT_EQ(nowhere.status, 400);
  EXPECT_EQ(nowhere.reason(), "INVALID_FIELD");
}

TEST_F(Runs, ThatHaveEndedAreDeletedAtOnce) {
  make_workspace();
  call("POST", kRuns, run_text("r1"));
  EXPECT_EQ(call("POST", cat(kRuns, "/r1/cancel")).body.text("status.phase"), "Canceled");
  EXPECT_EQ(call("POST", cat(kRuns, "/r1/cancel")).status, 200);
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r1"), R"({"preconditions":{"uid":"other"}})").status, 409);
  EXPECT_EQ(call("DELETE", cat(kRuns, "/r1")).body.text("status"), "Success");
  EXPECT_EQ(call("GET", cat(kRuns, "/r1")).reason(), "RUN_NOT_FOUND");
}

TEST_F(Runs, AreKilledByACancelThatSaysSo) {
  make_workspace();
  call("POST", kRuns, run_text("r1"));
  const Answer odd = call("POST", cat(kRuns, "/r1/cancel"), R"({"now":"yes"})");
  EXPECT_EQ(odd.status, 400);
  EXPECT_EQ(call("POST", cat(kRuns, "/r1/cancel"), R"({"later":true})").status, 400);
  EXPECT_EQ(call("POST", cat(kRuns, "/r1/cancel"), R"({"now":true})").body.text("status.phase"),
            "Canceled");
}

// What kubectl shows of a refusal is its message.
TEST_F(Runs, AsPodsSayWhatWorksInsteadOfWhatTheyHaveNot) {
  const std::string pod = "/api/v1/namespaces/default/pods/r1";
  for (const char* method : {"GET", "POST"}) {
    for (const auto& [what, way] : {std::pair{"attach", "`paddock logs -f r1`"},
                                    std::pair{"portforward", "previews (docs/projects.md)"}}) {
      const Answer refused = call(method, cat(pod, "/", what));
      EXPECT_EQ(refused.status, 404) << refused.text;
      EXPECT_EQ(refused.body.text("kind"), "Status");
      EXPECT_EQ(refused.reason(), "ROUTE_NOT_FOUND");
      EXPECT_NE(refused.body.text("message").find(way), std::string::npos) << refused.text;
    }
  }
}

TEST_F(Runs, AreFoundByTheirPhase) {
  make_workspace();
  for (const char* name : {"a", "b", "c"})
    ASSERT_EQ(call("POST", kRuns, run_text(name)).status, 201);
  call("POST", cat(kRuns, "/b/cancel"));
  const auto names = [&](const std::string& selector) {
    const Answer found = call("GET", cat(kRuns, "?fieldSelector=", selector));
    std::string out;
    for (const auto& each : *found.body.find("items")->array()) out += each.text("metadata.name");
    return out;
  };
  EXPECT_EQ(names("status.phase=Pending"), "ac");
  EXPECT_EQ(names("status.phase=Running"), "");
  EXPECT_EQ(names("status.phase=Canceled"), "b");
  EXPECT_EQ(names("status.phase!=Pending"), "b");
  EXPECT_EQ(names("status.phase=Pending,metadata.name=b"), "");
  EXPECT_EQ(names("status.phase=Pending,metadata.name=c"), "c");
  EXPECT_EQ(names("status.phase=Nonsense"), "");
}

TEST_F(Runs, AreListedInPagesBySelectorsAndAsTables) {
  make_workspace();
  for (const char* name : {"a", "b", "c"})
    ASSERT_EQ(call("POST", kRuns, run_text(name)).status, 201);
  Answer page = call("GET", cat(kRuns, "?limit=2"));
  EXPECT_EQ(page.body.find("items")->array()->size(), 2u);
  page = call("GET", cat(kRuns, "?limit=2&continue=", page.body.text("metadata.continue")));
  ASSERT_EQ(page.body.find("items")->array()->size(), 1u);
  EXPECT_EQ(page.body.find("items")->array()->at(0).text("metadata.name"), "c");
  EXPECT_EQ(
      call("GET", cat(kRuns, "?fieldSelector=metadata.name=b")).body.find("items")->array()->size(),
      1u);
  EXPECT_EQ(call("GET", cat(kRuns, "?labelSelector=x=y")).body.find("items")->array()->size(), 0u);
  EXPECT_EQ(call("GET", cat(kRuns, "?fieldSelector=spec.x=b")).reason(),
            "FIELD_SELECTOR_UNSUPPORTED");
  Request request = request_of("GET", kRuns, admin_);
  request.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  EXPECT_EQ(send(request).body.text("kind"), "Table");
}

TEST_F(Runs, AreListedNewestFirstWhereThatIsAsked) {
  make_workspace();
  for (const char* name : {"m", "z", "a"})
    ASSERT_EQ(call("POST", kRuns, run_text(name)).status, 201);
  const auto names = [](const Answer& page) {
    std::string out;
    for (const wire::Value& run : *page.body.find("items")->array())
      out += run.text("metadata.name");
    return out;
  };
  const Answer first = call("GET", cat(kRuns, "?order=newest&limit=2"));
  EXPECT_EQ(names(first), "az");
  const std::string token = first.body.text("metadata.continue");
  EXPECT_EQ(names(call("GET", cat(kRuns, "?order=newest&limit=2&continue=", token))), "m");
  EXPECT_EQ(names(call("GET", cat(kRuns, "?order=newest&fieldSelector=status.phase=Pending"))),
            "azm");
  EXPECT_EQ(names(call("GET", cat(kRuns, "?order=name&limit=3"))), "amz");
  EXPECT_EQ(call("GET", cat(kRuns, "?order=oldest")).reason(), "PARAMETER_INVALID");
  const std::string by_name = call("GET", cat(kRuns, "?limit=1")).body.text("metadata.continue");
  EXPECT_EQ(call("GET", cat(kRuns, "?order=newest&continue=", by_name)).reason(),
            "CONTINUE_INVALID");
  EXPECT_EQ(call("GET", "/apis/paddock.dev/v1alpha1/runs?order=newest").reason(),
            "PARAMETER_INVALID");
}

class RunStream : public ApiTest {
 protected:
  RunStream() {
    make_workspace();
    uid_ = call("POST", kRuns, run_text("r1")).body.text("metadata.uid");
  }
  void append(const std::string& type, const std::string& data) {
    contracts::RunEvent event{0, clock_.wall().ms, type, data};
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) {
                      txn.touch(store::run_topic(uid_));
                      return txn.append_event(uid_, event);
                    })
                    .ok());
  }
  std::string stream(const std::string& target, const std::string& until = {},
                     const std::string& last_id = {}) {
    Request request = request_of("GET", target, admin_);
    if (!last_id.empty()) request.headers["last-event-id"] = last_id;
    const Answer answer = send(request);
    EXPECT_EQ(answer.status, 200) << answer.text;
    FakeStream out(until);
    if (answer.response.stream) answer.response.stream(out);
    return out.text;
  }
  std::string uid_;
};

TEST_F(RunStream, CarriesEveryEventOnceAndGoesOnAfterTheLastOneSeen) {
  append("stdout", "one\n");
  append("stdout", "two\xff\n");
  call("POST", cat(kRuns, "/r1/cancel"));
  const std::string all = stream(cat(kRuns, "/r1/events"));
  EXPECT_NE(all.find("id: 1\nevent: phase\ndata: {"), std::string::npos) << all;
  EXPECT_NE(all.find("\"data\":\"one\\n\"}"), std::string::npos) << all;
  EXPECT_NE(all.find("event: end\n"), std::string::npos);
  const std::string rest = stream(cat(kRuns, "/r1/events"), {}, "2");
  EXPECT_EQ(rest.find("id: 2\n"), std::string::npos);
  EXPECT_NE(rest.find("id: 3\n"), std::string::npos);
  EXPECT_EQ(stream(cat(kRuns, "/r1/events?after=2")), rest);
  EXPECT_EQ(all.substr(all.find("id: 3\n")), rest.substr(rest.find("id: 3\n")));
  EXPECT_EQ(stream(cat(kRuns, "/r1/events?after=1000")).find("id:"), std::string::npos);
}

TEST_F(RunStream, BeatsWhileNothingHappensAndEndsWithoutEndWhenTheServerStops) {
  EXPECT_NE(stream(cat(kRuns, "/r1/events"), ": hb\n\n").find(": hb\n\n"), std::string::npos);
  notifier_.shutdown();
  for (const char* what : {"/r1/events", "/r1/log?follow=true"}) {
    const Answer answer = call("GET", cat(kRuns, what));
    FakeStream out;
    answer.response.stream(out);
    EXPECT_EQ(out.text.find("event: end"), std::string::npos);
    EXPECT_TRUE(out.broken) << what;
  }
}

TEST_F(RunStream, RefusesAnEventIdThatIsNone) {
  Request request = request_of("GET", cat(kRuns, "/r1/events"), admin_);
  request.headers["last-event-id"] = "x";
  EXPECT_EQ(send(request).reason(), "EVENT_ID_INVALID");
  EXPECT_EQ(call("GET", cat(kRuns, "/r1/events?after=-1")).reason(), "PARAMETER_INVALID");
}

TEST_F(RunStream, GivesTheLogAsItWasWrittenAndItsLastLines) {
  append("stdout", "one\ntw");
  append("system", "not output");
  append("stderr", "o\nthree\xff");
  EXPECT_EQ(stream(cat(kRuns, "/r1/log")), "one\ntwo\nthree\xff");
  EXPECT_EQ(stream(cat(kRuns, "/r1/log?tailLines=2")), "two\nthree\xff");
  EXPECT_EQ(stream(cat(kRuns, "/r1/log?tailLines=0")), "");
  EXPECT_EQ(stream(cat(kRuns, "/r1/log?tailLines=99")), "one\ntwo\nthree\xff");
  call("POST", cat(kRuns, "/r1/cancel"));
  EXPECT_EQ(stream(cat(kRuns, "/r1/log?follow=true")), "one\ntwo\nthree\xff");
}

TEST_F(RunStream, ServesAnArtifactByItsExactPathOnlyAndNeverAsAPage) {
  const std::string digest = blobs_.put("<script>").value();
  ASSERT_TRUE(
      store_
          ->write([&](store::WriteTxn& txn) -> Status {
            ASSIGN_OR_RETURN(contracts::Run run, txn.get<contracts::Run>({"default", "r1"}));
            run.status.artifacts = {{"models/a b.html", 8, digest}};
            return txn.update(run);
          })
          .ok());
  EXPECT_EQ(call("GET", cat(kRuns, "/r1/artifacts")).body.find("items")->array()->size(), 1u);
  const Answer answer = call("GET", cat(kRuns, "/r1/artifacts/models/a b.html"));
  ASSERT_EQ(answer.status, 200);
  FakeStream out;
  answer.response.stream(out);
  EXPECT_EQ(out.text, "<script>");
  EXPECT_EQ(answer.response.content_type, "application/octet-stream");
  const auto header = [&](const std::string& name) {
    for (const auto& [key, value] : answer.response.headers) {
      if (key == name) return value;
    }
    return std::string();
  };
  EXPECT_EQ(header("x-content-type-options"), "nosniff");
  EXPECT_EQ(header("content-disposition"), "attachment; filename*=UTF-8''a%20b.html");
  EXPECT_EQ(header("content-length"), "8");
  for (const char* path : {"models", "models/a", "a b.html", "etc/passwd", "models/a b.html/x"}) {
    EXPECT_EQ(call("GET", cat(kRuns, "/r1/artifacts/", path)).reason(), "ARTIFACT_NOT_FOUND")
        << path;
  }
}

}  // namespace
}  // namespace paddock::api
