// What may I do, and core/v1 Events.
#include "controller/api/api_test_support.h"
#include "controller/k8s/discovery.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::api {
namespace {

class Reviews : public ApiTest {
 protected:
  static std::string access(const std::string& verb, const std::string& resource,
                            const std::string& group = "paddock.dev",
                            const std::string& subresource = {}) {
    return cat(
        R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"resourceAttributes":{"namespace":"default","verb":")",
        verb, R"(","group":")", group, R"(","resource":")", resource, R"(","subresource":")",
        subresource, "\"}}}");
  }
  bool may(const std::string& token, const std::string& body) {
    const Answer answer = send(
        request_of("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", token), body);
    EXPECT_EQ(answer.status, 201) << answer.text;
    return *answer.body.at("status.allowed")->boolean();
  }
};

TEST_F(Reviews, AnswerWhatTheRouteTableWouldDo) {
  const std::string reader = add_token("reader", {"runs:read"});
  for (const char* verb : {"get", "list", "watch"}) EXPECT_TRUE(may(reader, access(verb, "runs")));
  for (const char* verb : {"create", "update", "patch", "delete", "*", "fly", "deletecollection"})
    EXPECT_FALSE(may(reader, access(verb, "runs"))) << verb;
  EXPECT_FALSE(may(reader, access("get", "nodes")));
  EXPECT_TRUE(may(reader, access("get", "pods", "", "log")));
  EXPECT_TRUE(may(admin_, access("create", "pods", "", "exec")));
  for (const char* refused : {"attach", "portforward"})
    EXPECT_FALSE(may(admin_, access("create", "pods", "", refused))) << "it is for nobody";
  EXPECT_TRUE(may(admin_, access("get", "nodes")));
  EXPECT_TRUE(may(admin_, access("deletecollection", "runs")));
  EXPECT_FALSE(may(admin_, access("deletecollection", "nodes")));
  EXPECT_FALSE(may(add_token("g", {"grants:read"}), access("deletecollection", "grants")));
  EXPECT_TRUE(may(reader, access("watch", "events", "")));
  EXPECT_TRUE(may(admin_, access("patch", "runs", "paddock.dev", "status")));
  EXPECT_FALSE(
      may(add_token("w", {"runs:write"}), access("patch", "runs", "paddock.dev", "status")));
  EXPECT_FALSE(may(admin_, access("get", "secrets", "")));
  EXPECT_TRUE(may(admin_, access("*", "*", "*")));
  EXPECT_FALSE(may(add_token("e", {"*"}, "elsewhere"), access("get", "runs")));
}

TEST_F(Reviews, OfEachVerbThatDiscoveryNamesFindARoute) {
  const auto check = [&](const wire::Value& list, const std::string& group) {
    for (const wire::Value& resource : *list.find("resources")->array()) {
      const std::vector<std::string> name = split(resource.text("name"), '/');
      const std::string part = name.size() > 1 ? name[1] : "";
      for (const wire::Value& verb : *resource.find("verbs")->array())
        EXPECT_TRUE(may(admin_, access(*verb.string(), name[0], group, part)))
            << *verb.string() << " " << resource.text("name");
    }
  };
  check(k8s::group_resources(), "paddock.dev");
  check(k8s::core_resources(), "");
}

TEST_F(Reviews, ReadTheProtobufThatTypedClientsSend) {
  const auto field = [](int number, const std::string& bytes) {
    return cat(static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size()), bytes);
  };
  const std::string type =
      field(1, "authorization.k8s.io/v1") + field(2, "SelfSubjectAccessReview");
  const std::string attributes =
      field(1, "default") + field(2, "list") + field(3, "paddock.dev") + field(5, "runs");
  const std::string raw = field(1, "") + field(2, field(1, attributes));
  const std::string body = std::string("k8s\0", 4) + field(1, type) + field(2, raw);
  Request request =
      request_of("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", admin_);
  request.headers["content-type"] = "application/vnd.kubernetes.protobuf";
  const Answer answer = send(request, body);
  EXPECT_EQ(answer.status, 201) << answer.text;
  EXPECT_EQ(*answer.body.at("status.allowed")->boolean(), true);
  for (size_t cut = 0; cut < body.size(); ++cut)
    EXPECT_GE(send(request, body.substr(0, cut)).status, 400) << cut;
}

TEST_F(Reviews, ListRulesAndSayWhoIAm) {
  const std::string reader = add_token("reader", {"runs:read"});
  const Answer rules =
      send(request_of("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", reader),
           R"({"kind":"SelfSubjectRulesReview","spec":{"namespace":"default"}})");
  EXPECT_EQ(rules.status, 201);
  const std::string text = wire::to_json(rules.body);
  EXPECT_NE(
      text.find(
          R"("verbs":["get","list","watch"],"apiGroups":["paddock.dev"],"resources":["runs"])"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("\"nodes\""), std::string::npos);
  const Answer self =
      send(request_of("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", reader),
           R"({"kind":"SelfSubjectReview"})");
  EXPECT_EQ(self.body.text("status.userInfo.username"), "reader");
  EXPECT_EQ(self.text.find("paddock.dev/namespace"), std::string::npos);
  const Answer limited =
      send(request_of("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                      add_token("limited", {"runs:read"}, "team")),
           R"({"kind":"SelfSubjectReview"})");
  EXPECT_NE(limited.text.find(R"("paddock.dev/namespace":["team"])"), std::string::npos)
      << limited.text;
}

using CoreEvents = ApiTest;

TEST_F(CoreEvents, TellARunsTransitionsAndWhyItWaits) {
  make_workspace();
  const std::string uid = call("POST", kRuns, run_text("r1")).body.text("metadata.uid");
  call("POST", kRuns, run_text("r2"));
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid(uid));
                    runs::Events events = runs::explain_pending(
                        run, runs::kUnschedulable, "no node has 64 cores", clock_.wall());
                    return store::save_run(txn, run, std::move(events));
                  })
                  .ok());
  call("POST", cat(kRuns, "/r1/cancel"));
  const Answer answer =
      call("GET", cat("/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind=Run,",
                      "involvedObject.uid=", uid,
                      ",involvedObject.name=r1,involvedObject.namespace=default", "&limit=500"));
  ASSERT_EQ(answer.status, 200) << answer.text;
  const wire::Value::Array& items = *answer.body.find("items")->array();
  ASSERT_EQ(items.size(), 3u) << answer.text;
  EXPECT_EQ(items[0].text("reason"), "Pending");
  EXPECT_EQ(items[1].text("reason"), "UNSCHEDULABLE");
  EXPECT_EQ(items[1].text("message"), "no node has 64 cores");
  EXPECT_EQ(items[1].text("type"), "Warning");
  EXPECT_EQ(items[2].text("involvedObject.uid"), uid);
  Answer page = call("GET", "/api/v1/events?limit=3");
  EXPECT_EQ(page.body.find("items")->array()->size(), 3u);
  page = call("GET", cat("/api/v1/events?limit=3&continue=", page.body.text("metadata.continue")));
  EXPECT_EQ(page.body.find("items")->array()->size(), 1u);
  EXPECT_EQ(page.body.text("metadata.continue"), "");
  EXPECT_EQ(call("GET", "/api/v1/namespaces/other/events").body.find("items")->array()->size(), 0u);
  EXPECT_EQ(call("GET", "/api/v1/events?fieldSelector=x=y").reason(), "FIELD_SELECTOR_UNSUPPORTED");
  EXPECT_EQ(call("GET", cat("/api/v1/events?continue=", base64("v2:1:x"))).reason(),
            "CONTINUE_INVALID");
}

}  // namespace
}  // namespace paddock::api
