// What E2B's SDK is answered without a node: who is let in, what is shown, changed and refused.
#include "controller/api/api_test_support.h"
#include "controller/e2b/connect.h"

namespace paddock::api {
namespace {

constexpr const char* kSandboxes = "/apis/paddock.dev/v1alpha1/namespaces/default/sandboxes";

class E2b : public ApiTest {
 protected:
  void stored(const std::string& name, const std::string& name_space = "default") {
    contracts::Sandbox session;
    session.metadata.name = name;
    session.metadata.name_space = name_space;
    session.metadata.uid = cat("uid-", name);
    session.metadata.creation_timestamp = wire::Timestamp{clock_.wall()};
    session.spec = contracts::with_session_defaults({});
    session.status.node_name = "n1";
    session.status.expires_at = wire::Timestamp{clock_.wall() + session.spec.lifetime->value};
    ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(session); }).ok());
  }
  // As the SDK sends it: the key in a header of its own.
  Answer ask(const std::string& method, const std::string& path, const std::string& body = {},
             const std::string& key = {}) {
    Request request = request_of(method, cat("/e2b", path), "");
    request.headers["x-api-key"] = key.empty() ? admin_ : key;
    return send(request, body);
  }
  Answer inside(const std::string& method, const std::string& path, const std::string& name,
                const std::string& body = {}, const std::string& user = {}) {
    Request request = request_of(method, cat("/e2b/envd", path), "");
    request.headers["x-access-token"] = admin_;
    request.headers["e2b-sandbox-id"] = name;
    if (!user.empty()) request.headers["authorization"] = cat("Basic ", base64(user));
    return send(request, body);
  }
  contracts::Sandbox session(const std::string& name) {
    return wire::decode<contracts::Sandbox>(call("GET", cat(kSandboxes, "/", name)).body).value();
  }
};

TEST_F(E2b, AKeyIsAToken) {
  stored("s");
  EXPECT_EQ(ask("GET", "/sandboxes/s").status, 200);
  EXPECT_EQ(ask("GET", "/sandboxes/s", "", "e2b_0123456789").reason(), "TOKEN_UNKNOWN");
  EXPECT_EQ(ask("GET", "/sandboxes/s", "", "not a token").reason(), "AUTHORIZATION_MALFORMED");
  EXPECT_EQ(send(request_of("GET", "/e2b/sandboxes/s", "")).reason(), "TOKEN_MISSING");
  EXPECT_EQ(send(request_of("GET", "/e2b/sandboxes/s", admin_)).status, 200);
  // Nowhere else is the header looked at.
  Request other = request_of("GET", kSandboxes, "");
  other.headers["x-api-key"] = admin_;
  EXPECT_EQ(send(other).status, 401);
}

TEST_F(E2b, ATokenIsInItsNamespaceAndHasItsScopes) {
  stored("s");
  stored("t", "team");
  const std::string team = add_token("team", {"runs:read", "runs:write"}, "team");
  const std::string reader = add_token("reader", {"runs:read"}, "team");
  EXPECT_EQ(ask("GET", "/sandboxes/t", "", team).status, 200);
  EXPECT_EQ(ask("GET", "/sandboxes/s", "", team).status, 404);
  EXPECT_EQ(ask("GET", "/sandboxes/t").status, 404);
  const Answer listed = ask("GET", "/v2/sandboxes", "", team);
  ASSERT_EQ(listed.body.array()->size(), 1U);
  EXPECT_EQ((*listed.body.array())[0].text("sandboxID"), "t");
  EXPECT_EQ(ask("DELETE", "/sandboxes/t", "", reader).reason(), "SCOPE_MISSING");
  EXPECT_EQ(ask("POST", "/sandboxes/t/timeout", R"({"timeout": 9})", reader).status, 403);
  EXPECT_EQ(ask("POST", "/v2/sandboxes", R"({"templateID": "base"})", reader).status, 403);
  EXPECT_EQ(ask("GET", "/v2/sandboxes", "", add_token("none", {"nodes:read"})).status, 403);
  Request list = request_of("POST", "/e2b/envd/filesystem.Filesystem/MakeDir", reader);
  list.headers["e2b-sandbox-id"] = "t";
  EXPECT_EQ(send(list, R"({"path": "x"})").reason(), "SCOPE_MISSING");
}

TEST_F(E2b, ARequestThatNamesNoSandboxIsToldWhichReleaseDoes) {
  stored("s");
  const Answer unnamed = inside("POST", "/filesystem.Filesystem/ListDir", "", R"({"path": "x"})");
  EXPECT_NE(unnamed.text.find("2.26"), std::string::npos) << unnamed.text;
  const Answer other = inside("POST", "/filesystem.Filesystem/ListDir", "x", R"({"path": "x"})");
  EXPECT_EQ(other.text.find("2.26"), std::string::npos) << other.text;
}

TEST_F(E2b, WhatIsMadeIsMadeLikeEverySession) {
  // There is no node here: the refusal is that of a session.
  const Answer none = ask("POST", "/v2/sandboxes", R"({"templateID": "base"})");
  EXPECT_EQ(none.reason(), "NO_NODE") << none.text;
  EXPECT_EQ(ask("POST", "/v2/sandboxes", R"({"templateID": "x"})").reason(), "IMAGE_NOT_SERVED");
  const Answer denied = ask("POST", "/v2/sandboxes",
                            R"({"templateID": "base", "network":
                                {"allowOut": ["example.org"], "denyOut": ["0.0.0.0/0"]}})");
  EXPECT_EQ(denied.reason(), "NETWORK_NOT_ALLOWED") << denied.text;
  const Answer env =
      ask("POST", "/v2/sandboxes", R"({"templateID": "base", "envVars": {"LD_PRELOAD": "x"}})");
  EXPECT_EQ(env.status / 100, 4) << env.text;
}

TEST_F(E2b, ItsTimeIsChangedWithinWhatASessionMayHave) {
  stored("s");
  EXPECT_EQ(ask("POST", "/sandboxes/s/timeout", R"({"timeout": 60})").status, 204);
  EXPECT_EQ(session("s").status.expires_at->value, clock_.wall() + Millis(60'000));
  EXPECT_EQ(ask("POST", "/sandboxes/s/timeout", R"({"timeout": 604801})").reason(),
            "INVALID_FIELD");
  EXPECT_EQ(ask("POST", "/sandboxes/s/timeout", "{}").reason(), "INVALID_FIELD");
  // To connect never shortens it.
  EXPECT_EQ(ask("POST", "/v2/sandboxes/s/connect", R"({"timeout": 10})").status, 200);
  EXPECT_EQ(session("s").status.expires_at->value, clock_.wall() + Millis(60'000));
  const Answer longer = ask("POST", "/v2/sandboxes/s/connect", R"({"timeout": 120})");
  EXPECT_EQ(longer.body.text("envdAccessToken"), admin_);
  EXPECT_EQ(session("s").status.expires_at->value, clock_.wall() + Millis(120'000));
}

TEST_F(E2b, LifetimeIsTheOneThingOfASpecBesideSuspensionThatChanges) {
  stored("s");
  const std::string target = cat(kSandboxes, "/s");
  const auto patch = [&](const std::string& body) {
    Request request = request_of("PATCH", target, admin_);
    request.headers["content-type"] = "application/merge-patch+json";
    return send(request, body);
  };
  const int64_t before = session("s").metadata.generation;
  EXPECT_EQ(patch(R"({"spec": {"lifetime": "24h"}})").status, 200);
  EXPECT_EQ(session("s").status.expires_at->value, clock_.wall() + std::chrono::hours(24));
  EXPECT_EQ(session("s").metadata.generation, before + 1);
  EXPECT_EQ(patch(R"({"spec": {"lifetime": "169h"}})").status, 422);
  EXPECT_EQ(patch(R"({"spec": {"idleTimeout": "1h"}})").reason(), "FIELD_IMMUTABLE");
  const auto events = wire::decode<contracts::AuditList>(call("GET", "/audit").body);
  ASSERT_FALSE(events->items.empty());
  EXPECT_EQ(events->items.back().type, contracts::audit::kObjectUpdate);
  EXPECT_EQ(events->items.back().details.at("lifetime"), "24h");
}

TEST_F(E2b, APausedOneIsResumedByConnecting) {
  stored("s");
  EXPECT_EQ(ask("POST", "/sandboxes/s/pause", "{}").status, 204);
  EXPECT_EQ(ask("POST", "/sandboxes/s/pause").status, 409);
  EXPECT_EQ(ask("GET", "/sandboxes/s").body.text("state"), "paused");
  EXPECT_EQ(ask("POST", "/v2/sandboxes/s/connect", R"({"timeout": 10})").status, 201);
  EXPECT_EQ(ask("GET", "/sandboxes/s").body.text("state"), "running");
}

TEST_F(E2b, TheListComesInPages) {
  for (const char* name : {"a", "b", "c"}) stored(name);
  const Answer first = ask("GET", "/v2/sandboxes?limit=2");
  EXPECT_EQ(first.body.array()->size(), 2U);
  std::string next;
  for (const auto& [name, value] : first.response.headers) {
    if (name == "x-next-token") next = value;
  }
  ASSERT_FALSE(next.empty());
  const Answer second = ask("GET", cat("/v2/sandboxes?limit=2&nextToken=", next));
  ASSERT_EQ(second.body.array()->size(), 1U) << second.text;
  EXPECT_EQ((*second.body.array())[0].text("sandboxID"), "c");
  EXPECT_EQ(ask("GET", "/v2/sandboxes?limit=0").reason(), "PARAMETER_INVALID");
}

TEST_F(E2b, OneThatIsNotThereIsTheEndOfIt) {
  for (const char* name : {"gone", "A", "a.b"}) {
    EXPECT_EQ(ask("GET", cat("/sandboxes/", name)).reason(), "SANDBOX_NOT_FOUND");
    EXPECT_EQ(inside("GET", "/health", name).status, 502);
    EXPECT_EQ(inside("GET", "/files?path=x", name).status, 502);
    const Answer list = inside("POST", "/filesystem.Filesystem/ListDir", name, R"({"path": "."})");
    EXPECT_EQ(list.status, 502);
    EXPECT_EQ(list.body.text("code"), "unavailable");
  }
  stored("s");
  EXPECT_EQ(inside("GET", "/health", "s").status, 204);
  EXPECT_EQ(ask("DELETE", "/sandboxes/s").status, 204);
  EXPECT_EQ(ask("DELETE", "/sandboxes/s").status, 404);
  EXPECT_EQ(inside("GET", "/health", "s").status, 502);
}

TEST_F(E2b, WhatIsNotServedSaysSo) {
  stored("s");
  for (const char* path : {"/sandboxes/s/metrics", "/sandboxes/s/snapshots", "/templates", "/x"}) {
    for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
      if (std::string_view(path) == "/x" || std::string_view(method) != "DELETE")
        EXPECT_EQ(ask(method, path).reason(), "E2B_NOT_SERVED") << method << " " << path;
    }
  }
  const Answer watch = inside("POST", "/filesystem.Filesystem/CreateWatcher", "s", "{}");
  EXPECT_EQ(watch.status, 501);
  EXPECT_EQ(watch.body.text("code"), "unimplemented");
  const Answer root =
      inside("POST", "/filesystem.Filesystem/ListDir", "s", R"({"path": "."})", "root:");
  EXPECT_EQ(root.body.text("code"), "unimplemented");
  EXPECT_EQ(inside("GET", "/files?path=x&username=root", "s").reason(), "E2B_NOT_SERVED");
}

TEST_F(E2b, AHostileStartIsRefusedInsideTheStream) {
  stored("s");
  const std::string long_head("\0\xff\xff\xff\xff{}", 7);
  for (const std::string& body : {std::string(), std::string("{}"), long_head,
                                  e2b::envelope(wire::Value(wire::Value::Object{}))}) {
    const Answer answer = inside("POST", "/process.Process/Start", "s", body);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.response.content_type, "application/connect+json");
    ASSERT_GT(answer.text.size(), 5U);
    EXPECT_EQ(answer.text[0], 2);
    EXPECT_NE(answer.text.find("invalid_argument"), std::string::npos) << answer.text;
  }
}

TEST_F(E2b, APathThatLeadsOutIsRefused) {
  stored("s");
  for (const char* path : {"/etc/passwd", "../x", "a/../../x"}) {
    EXPECT_EQ(inside("GET", cat("/files?path=", path), "s").reason(), "INVALID_FIELD");
    const Answer removed =
        inside("POST", "/filesystem.Filesystem/Remove", "s", cat("{\"path\": \"", path, "\"}"));
    EXPECT_EQ(removed.body.text("code"), "invalid_argument");
  }
  EXPECT_EQ(inside("GET", "/files", "s").reason(), "INVALID_FIELD");
  EXPECT_EQ(inside("POST", "/files?path=x", "s", "x").reason(), "MULTIPART_INVALID");
}

// A session that was made elsewhere, changed as a Sandbox of agents.x-k8s.io.
TEST_F(E2b, ItsEndMovesWhereTheOtherGroupSaysSoAndNotOtherwise) {
  stored("s");
  const auto change = [&](const std::string& spec) {
    Request request =
        request_of("PATCH", "/apis/agents.x-k8s.io/v1beta1/namespaces/default/sandboxes/s", admin_);
    request.headers["content-type"] = "application/merge-patch+json";
    const Answer answer = send(request, cat(R"({"spec":)", spec, "}"));
    EXPECT_EQ(answer.status, 200) << answer.text;
    return session("s").status.expires_at.value().value.ms;
  };
  const int64_t end = session("s").status.expires_at.value().value.ms;
  EXPECT_EQ(change(R"({"operatingMode":"Suspended"})"), end);
  EXPECT_EQ(change(R"({"operatingMode":"Running"})"), end);
  const std::string sooner = format_time(clock_.wall() + std::chrono::minutes(1));
  EXPECT_EQ(change(cat(R"({"shutdownTime":")", sooner, R"("})")), parse_time(sooner)->ms);
  EXPECT_EQ(change(R"({"operatingMode":"Suspended"})"), parse_time(sooner)->ms);
  EXPECT_EQ(change(R"({"shutdownTime":null})"), (clock_.wall() + contracts::kLongestLifetime).ms);
}

}  // namespace
}  // namespace paddock::api
