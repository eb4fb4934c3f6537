// Many runs in one request: all of them, or none and every reason.
#include "controller/api/handlers/runs/run_lists.h"

#include <algorithm>
#include <set>

#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

class RunLists : public ApiTest {
 protected:
  RunLists() { make_workspace(); }

  static std::string list_text(const std::vector<std::string>& items) {
    return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"RunList","items":[)",
               join(items, ","), "]}");
  }
  // `count` runs named `prefix` and a number.
  static std::vector<std::string> numbered(const std::string& prefix, size_t count) {
    std::vector<std::string> items;
    for (size_t i = 0; i < count; ++i) items.push_back(run_text(cat(prefix, i)));
    return items;
  }
  static std::string generated(const std::string& prefix) {
    return cat(R"({"metadata":{"generateName":")", prefix,
               R"("},"spec":{"type":"compute","command":"python3 s.py","workspace":"w"}})");
  }
  size_t stored() {
    const Answer answer = call("GET", kRuns);
    FakeStream stream;
    stream.text = answer.text;
    stream_here(answer.response, stream);  // a long list comes in parts
    return wire::parse_json(stream.text).value().find("items")->array()->size();
  }
  static const wire::Value& item(const Answer& answer, size_t index) {
    return answer.body.find("items")->array()->at(index);
  }
  static std::vector<std::string> fields(const Answer& answer) {
    std::vector<std::string> out;
    const wire::Value* causes = answer.body.at("error.details.causes");
    if (causes == nullptr) return out;
    for (const auto& each : *causes->array()) out.push_back(each.text("field"));
    return out;
  }
  size_t audited() {
    return call("GET", "/audit?type=object.create").body.find("items")->array()->size();
  }
};

using Names = std::vector<std::string>;

TEST_F(RunLists, AreMadeAsSingleRunsAreAndInOrder) {
  const size_t before = audited();
  const Answer answer = call("POST", kRuns, list_text(numbered("r", 3)));
  ASSERT_EQ(answer.status, 201) << answer.text;
  EXPECT_EQ(answer.body.text("kind"), "RunList");
  ASSERT_EQ(answer.body.find("items")->array()->size(), 3u);
  std::set<std::string> uids;
  int64_t last = 0;
  for (size_t i = 0; i < 3; ++i) {
    const wire::Value& one = item(answer, i);
    EXPECT_EQ(one.text("metadata.name"), cat("r", i));
    EXPECT_EQ(wire::to_json(one), wire::to_json(call("GET", cat(kRuns, "/r", i)).body))
        << "what is stored";
    uids.insert(one.text("metadata.uid"));
    const auto version = parse_integer<int64_t>(one.text("metadata.resourceVersion"));
    EXPECT_GT(version.value(), last);
    last = version.value();
  }
  EXPECT_EQ(uids.size(), 3u);
  const auto field = [&](size_t index, const char* name) {
    return item(answer, index).text(cat("metadata.", name));
  };
  for (size_t i = 1; i < 3; ++i) {  // the scheduler's order
    EXPECT_EQ(field(i, "creationTimestamp"), field(0, "creationTimestamp"));
    EXPECT_LT(field(i - 1, "uid"), field(i, "uid"));
  }
  EXPECT_EQ(answer.body.text("metadata.resourceVersion"), std::to_string(last));
  EXPECT_EQ(audited() - before, 3u);

  wire::Value single = call("POST", kRuns, run_text("alone")).body;
  for (const char* part : {"spec", "status"}) {
    const wire::Value& listed = *item(answer, 1).find(part);
    if (part == std::string("spec")) {
      EXPECT_EQ(wire::to_json(listed), wire::to_json(*single.find(part)));
    } else {
      EXPECT_EQ(listed.text("createdBy"), "admin");
      EXPECT_EQ(wire::to_json(*listed.find("policy")), wire::to_json(*single.at("status.policy")));
    }
  }
}

TEST_F(RunLists, AnswerWithMetadataAloneToWhoAsksForThat) {
  Request request = request_of("POST", kRuns, admin_);
  request.headers["accept"] = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  const Answer answer = send(std::move(request), list_text(numbered("r", 2)));
  ASSERT_EQ(answer.status, 201) << answer.text;
  EXPECT_EQ(answer.body.text("kind"), "PartialObjectMetadataList");
  EXPECT_EQ(item(answer, 1).text("metadata.name"), "r1");
  EXPECT_EQ(item(answer, 1).find("spec"), nullptr);
}

TEST_F(RunLists, GetNamesOfTheirOwn) {
  std::vector<std::string> items(200, generated("sweep-"));
  items.push_back(run_text("given"));
  const Answer answer = call("POST", kRuns, list_text(items));
  ASSERT_EQ(answer.status, 201) << answer.text;
  std::set<std::string> names;
  for (const auto& each : *answer.body.find("items")->array())
    names.insert(each.text("metadata.name"));
  EXPECT_EQ(names.size(), 201u);
  EXPECT_TRUE(names.contains("given"));
  EXPECT_EQ(stored(), 201u);
}

TEST_F(RunLists, NameAFieldOnceByItsWholePath) {
  for (const auto& [wrong, field] :
       {std::pair{run_text("typo", R"(,"comand":"x")"), "items[1].spec.comand"},
        std::pair{run_text("late", R"(,"timeout":"100h")"), "items[1].spec.timeout"},
        std::pair{run_text("kept", R"(,"priority":"high")"), "items[1].spec.priority"}}) {
    const Answer answer = call("POST", kRuns, list_text({run_text("good"), wrong}));
    EXPECT_TRUE(answer.body.text("message").starts_with(cat(field, ": "))) << answer.text;
    EXPECT_EQ(answer.body.text("message").find(field, 1), std::string::npos) << answer.text;
    EXPECT_EQ(fields(answer), Names{field});
  }
  const Answer whole = call("POST", kRuns, list_text({"7"}));
  EXPECT_TRUE(whole.body.text("message").starts_with("items[0]: ")) << whole.text;
}

TEST_F(RunLists, SayEveryItemThatIsWrongAndMakeNone) {
  std::vector<std::string> items = numbered("r", 8);
  items[1] = run_text("late", R"(,"timeout":"100h")");
  items[2] = run_text("typo", R"(,"comand":"x")");
  items[3] = R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Workspace","metadata":{"name":"x"}})";
  items[4] = R"({"metadata":{"name":"far","namespace":"other"},"spec":{"type":"compute",)"
             R"("command":"python3 s.py","workspace":"w"}})";
  items[5] = R"({"metadata":{"name":"lost"},"spec":{"type":"compute","command":"python3 s.py",)"
             R"("workspace":"gone"}})";
  items[6] = run_text("r0");
  items[7] = "7";
  const Answer answer = call("POST", kRuns, list_text(items));
  EXPECT_EQ(answer.status, 400) << answer.text;
  const Names told = fields(answer);
  const std::set<std::string> wrong(told.begin(), told.end());
  for (const char* each : {"items[1].spec.timeout", "items[2].spec.comand", "items[3].kind",
                           "items[4].metadata.namespace", "items[5].spec.workspace",
                           "items[6].metadata.name", "items[7]"})
    EXPECT_TRUE(wrong.contains(each)) << each << " in " << answer.text;
  for (const std::string& each : told) EXPECT_FALSE(each.starts_with("items[0]")) << each;
  EXPECT_NE(answer.body.text("message").find("6 more items"), std::string::npos) << answer.text;
  EXPECT_EQ(answer.reason(), "TIMEOUT_OVER_CEILING") << "the first item's";
  EXPECT_TRUE(std::ranges::is_sorted(told)) << answer.text;
  EXPECT_EQ(stored(), 0u);
}

TEST_F(RunLists, AreRefusedByTheReasonOfTheirFirstWrongItem) {
  std::vector<std::string> items = numbered("r", 5);
  items[2] = R"({"metadata":{"name":"lost"},"spec":{"type":"compute","command":"python3 s.py",)"
             R"("workspace":"gone"}})";
  Answer answer = call("POST", kRuns, list_text(items));
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.reason(), "WORKSPACE_NOT_FOUND");
  EXPECT_EQ(fields(answer), Names{"items[2].spec.workspace"});
  EXPECT_TRUE(answer.body.text("message").starts_with("items[2].spec.workspace: ")) << answer.text;
  items[2] = run_text("r0");
  answer = call("POST", kRuns, list_text(items));
  EXPECT_EQ(answer.reason(), "NAME_TWICE");
  EXPECT_EQ(fields(answer), Names{"items[2].metadata.name"});
  EXPECT_EQ(stored(), 0u);
}

TEST_F(RunLists, WithNamesThatAreTakenLeaveNothingBehind) {
  ASSERT_EQ(call("POST", kRuns, run_text("r1")).status, 201);
  ASSERT_EQ(call("POST", kRuns, run_text("r3")).status, 201);
  const size_t before = audited();
  const auto version = [&] { return call("GET", kRuns).body.text("metadata.resourceVersion"); };
  const std::string at = version();
  const Answer answer = call("POST", kRuns, list_text(numbered("r", 5)));
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.reason(), "RUN_ALREADY_EXISTS");
  EXPECT_EQ(fields(answer), (Names{"items[1].metadata.name", "items[3].metadata.name"}));
  EXPECT_EQ(stored(), 2u);
  EXPECT_EQ(audited(), before);
  EXPECT_EQ(version(), at);
}

TEST_F(RunLists, HaveAtLeastOneRunAndNoMoreThanAThousand) {
  EXPECT_EQ(call("POST", kRuns, list_text({})).reason(), "LIST_EMPTY");
  const Answer many = call("POST", kRuns, list_text(numbered("r", kMostRunsAtOnce + 1)));
  EXPECT_EQ(many.status, 413);
  EXPECT_EQ(many.reason(), "LIST_TOO_LONG");
  EXPECT_EQ(stored(), 0u);
  const Answer most = call("POST", kRuns, list_text(numbered("r", kMostRunsAtOnce)));
  EXPECT_EQ(most.status, 201) << most.body.text("message");
  EXPECT_EQ(stored(), kMostRunsAtOnce);
}

TEST_F(RunLists, AreListsAndNothingElse) {
  const auto made = [&](const std::string& rest) {
    return call("POST", kRuns,
                cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"RunList")", rest, "}"));
  };
  EXPECT_EQ(made("").reason(), "INVALID_FIELD");
  EXPECT_EQ(made(R"(,"items":{"a":1})").reason(), "INVALID_FIELD");
  EXPECT_EQ(made(R"(,"items":null)").reason(), "INVALID_FIELD");
  EXPECT_EQ(made(cat(R"(,"spec":{},"items":[)", run_text("a"), "]")).reason(), "UNKNOWN_FIELD");
  EXPECT_EQ(call("POST", kRuns, R"({"apiVersion":"v1","kind":"RunList","items":[]})").reason(),
            "KIND_MISMATCH");
  EXPECT_EQ(call("POST", kRuns, R"({"apiVersion":"v1","kind":"List","items":[]})").status, 400);
  EXPECT_EQ(call("POST", kWorkspaces, list_text(numbered("r", 1))).status, 400);
  EXPECT_EQ(stored(), 0u);
}

TEST_F(RunLists, AreTriedWithoutATrace) {
  const size_t before = audited();
  const Answer tried = call("POST", cat(kRuns, "?dryRun=All"), list_text(numbered("r", 3)));
  ASSERT_EQ(tried.status, 201) << tried.text;
  EXPECT_EQ(item(tried, 2).text("spec.timeout"), "30m");
  EXPECT_EQ(item(tried, 2).text("metadata.resourceVersion"), "");
  EXPECT_EQ(stored(), 0u);
  EXPECT_EQ(audited(), before);
  ASSERT_EQ(call("POST", kRuns, run_text("r1")).status, 201);
  EXPECT_EQ(call("POST", cat(kRuns, "?dryRun=All"), list_text(numbered("r", 3))).reason(),
            "RUN_ALREADY_EXISTS");
}

TEST_F(RunLists, AreMadeOnceHoweverOftenOneRequestIsSent) {
  Request request = request_of("POST", kRuns, admin_);
  request.headers["idempotency-key"] = "k1";
  std::vector<std::string> items(12, generated("job-"));
  const std::string text = list_text(items);
  const auto names = [](const Answer& answer) {
    Names out;
    for (const auto& each : *answer.body.find("items")->array())
      out.push_back(each.text("metadata.name"));
    return out;
  };
  const Answer first = send(request, text);
  ASSERT_EQ(first.status, 201) << first.text;
  const Answer second = send(request, text);
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(names(first), names(second));
  EXPECT_EQ(stored(), 12u);
  for (const std::string& other : {run_text("other"), list_text(numbered("r", 1))})
    EXPECT_EQ(send(request, other).reason(), "IDEMPOTENCY_KEY_REUSED");

  // Another key that begins with the same letters is another key.
  Request longer = request;
  longer.headers["idempotency-key"] = "k1-2";
  EXPECT_EQ(send(longer, run_text("other")).status, 201);
  EXPECT_EQ(send(longer, run_text("other")).status, 200);

  // A run that is gone is not made again as long as others are there.
  Names left = names(first);
  ASSERT_EQ(call("POST", cat(kRuns, "/", left[0], "/cancel")).status, 200);
  ASSERT_EQ(call("DELETE", cat(kRuns, "/", left[0])).status, 200);
  left.erase(left.begin());
  const Answer third = send(request, text);
  EXPECT_EQ(third.status, 200);
  EXPECT_EQ(names(third), left);
}

TEST_F(RunLists, CountTogetherAgainstWhatMayWait) {
  reconciler::Settings settings;
  scheduler::Quota quota;
  quota.pending = 3;
  settings.scheduling.quotas = {{"default", quota}};
  reconciler::Reconciler bounded(*store_, leases_, settings);
  const auto take = [&](std::vector<std::string> uids) {
    return bounded.reserve_queue("default", uids);
  };
  ASSERT_TRUE(take({"a", "b", "c"}).ok());
  const auto over = take({"a", "b", "c", "d"});
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().reason, "QUOTA_PENDING");
  ASSERT_EQ(call("POST", kRuns, list_text(numbered("r", 2))).status, 201);
  EXPECT_TRUE(take({"a"}).ok());
  EXPECT_FALSE(take({"a", "b"}).ok());
}

TEST_F(RunLists, NeedWhatASingleRunNeeds) {
  const std::string reader = add_token("reader", {"runs:read"});
  const std::string elsewhere = add_token("elsewhere", {"runs:write"}, "other");
  for (const std::string& token : {reader, elsewhere})
    EXPECT_EQ(send(request_of("POST", kRuns, token), list_text(numbered("r", 2))).status, 403);
  EXPECT_EQ(send(request_of("POST", kRuns, ""), list_text(numbered("r", 2))).status, 401);
  EXPECT_EQ(stored(), 0u);
}

TEST_F(RunLists, TellOfAHundredFaultsAtMost) {
  const Answer answer =
      call("POST", kRuns, list_text(std::vector<std::string>(500, run_text("-bad-"))));
  EXPECT_EQ(answer.reason(), "NAME_INVALID");
  EXPECT_EQ(fields(answer).size(), 100u);
  EXPECT_NE(answer.body.text("message").find("499 more"), std::string::npos);
}

TEST_F(RunLists, WarnOfWhatIsLeftOutByItem) {
  const Answer answer = call("POST", cat(kRuns, "?fieldValidation=Warn"),
                             list_text({run_text("a"), run_text("b", R"(,"comand":"x")")}));
  ASSERT_EQ(answer.status, 201) << answer.text;
  bool warned = false;
  for (const auto& [name, value] : answer.response.headers)
    warned = warned || (name == "Warning" && value.find("items[1]") != std::string::npos);
  EXPECT_TRUE(warned);
  EXPECT_EQ(call("POST", cat(kRuns, "?fieldValidation=Ignore"),
                 list_text({run_text("c", R"(,"sandbox":{"netwrk":1})")}))
                .reason(),
            "UNKNOWN_FIELD")
      << "of a sandbox nothing is left out";
}

}  // namespace
}  // namespace paddock::api
