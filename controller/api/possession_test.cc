// A digest is no key: what another namespace sent cannot be had by naming it.
#include "controller/api/node_test_support.h"

namespace paddock::api {
namespace {

class Possession : public NodeApiTest {
 protected:
  struct Tenant {
    std::string name_space;
    std::string token;
    std::string workspace() const {
      return cat("/apis/paddock.dev/v1alpha1/namespaces/", name_space, "/workspaces");
    }
  };
  Tenant tenant(const std::string& name_space) {
    Tenant one{name_space,
               add_token(name_space, {"workspaces:read", "workspaces:write"}, name_space)};
    EXPECT_EQ(
        ask(one, "POST", "",
            R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Workspace","metadata":{"name":"w"}})")
            .status,
        201);
    return one;
  }
  Answer ask(const Tenant& who, const std::string& method, const std::string& below,
             const std::string& body = {}) {
    Answer answer = send(request_of(method, cat(who.workspace(), below), who.token), body);
    if (!answer.response.stream) return answer;
    FakeStream stream;
    answer.response.stream(stream);
    answer.text = stream.text;
    return answer;
  }
  Answer offer(const Tenant& who, const std::string& digest, size_t size) {
    return ask(who, "POST", "/w/tree",
               cat(R"({"entries":[{"path":"t.json","digest":")", digest, R"(","size":)", size,
                   R"(,"executable":false}]})"));
  }
  static bool stored(const Answer& answer) {
    return *answer.body.at("stored") == wire::Value(true);
  }
};

// proves: WSM-13
TEST_F(Possession, ATokenOfOneNamespaceReadsNothingOfAnotherByItsDigest) {
  const Tenant theirs = tenant("ns-b");
  const Tenant ours = tenant("ns-a");
  const std::string secret = "the secret of ns-b";
  const std::string file = crypto::sha256_hex(secret);
  ASSERT_EQ(ask(theirs, "PUT", cat("/w/blobs/", file), secret).status, 201);
  const std::string root = offer(theirs, file, secret.size()).body.text("root");
  ASSERT_EQ(root.size(), 64U);

  for (const std::string& digest : {file, root}) {
    for (const size_t size : {size_t{1}, secret.size()}) {
      const Answer answer = offer(ours, digest, size);
      EXPECT_EQ(answer.status, 200) << answer.text;
      EXPECT_FALSE(stored(answer));
      EXPECT_EQ(answer.body.at("missing")->array()->at(0), wire::Value(digest));
    }
  }
  EXPECT_EQ(ask(ours, "GET", "/w/raw/t.json").text.find(secret), std::string::npos);
  EXPECT_EQ(ask(ours, "PUT", cat("/w/blobs/", file), "a guess of this").reason(),
            "DIGEST_MISMATCH");
  EXPECT_FALSE(stored(offer(ours, file, secret.size())));

  // Who has the content sends it, and may name it then.
  ASSERT_EQ(ask(ours, "PUT", cat("/w/blobs/", file), secret).status, 201);
  EXPECT_TRUE(stored(offer(ours, file, secret.size())));
  EXPECT_EQ(ask(ours, "GET", "/w/raw/t.json").text, secret);
}

// A plan names files that are not sent yet: what it says of them must not be read from others.
TEST_F(Possession, APlanReadsNoFileOfAnotherNamespace) {
  const Tenant theirs = tenant("ns-b");
  const Tenant ours = tenant("ns-a");
  const std::string text = "numpy==1.26.3\n--secret-of-ns-b\n";
  const std::string file = crypto::sha256_hex(text);
  ASSERT_EQ(ask(theirs, "PUT", cat("/w/blobs/", file), text).status, 201);
  const std::string reader = add_token("reader", {"runs:read"}, "ns-a");
  const auto plan = [&](const std::string& digest) {
    const std::string body =
        cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"p"},"spec":)",
            R"({"type":"command","command":["true"],"requirements":"requirements.txt"},"tree":)",
            R"({"entries":[{"path":"requirements.txt","digest":")", digest, R"(","size":1}]}})");
    return send(request_of("POST", "/apis/paddock.dev/v1alpha1/namespaces/ns-a/plan", reader),
                body);
  };
  const Answer absent = plan(std::string(64, 'a'));
  EXPECT_EQ(absent.status, 200) << absent.text;
  EXPECT_EQ(plan(file).text, absent.text);

  // Who has the content sends it, and is told of it then.
  ASSERT_EQ(ask(ours, "PUT", cat("/w/blobs/", file), text).status, 201);
  const Answer own = plan(file);
  EXPECT_EQ(own.reason(), "REQUIREMENTS_INVALID");
  EXPECT_NE(own.text.find("--secret-of-ns-b"), std::string::npos) << own.text;
}

TEST_F(Possession, WhatARunLeftItsNamespaceMayName) {
  const Tenant theirs = tenant("ns-b");
  const Tenant ours = tenant("ns-a");
  const std::string credential = enroll();
  contracts::Run run;
  run.metadata.name = "r";
  run.metadata.name_space = "ns-a";
  run.metadata.uid = "uid-r";
  run.spec.command.argv = {"python3", "s.py"};
  run.status.phase = contracts::RunPhase::kRunning;
  run.status.node_name = "n1";
  run.status.attempt = 1;
  ASSERT_TRUE(
      store_->write([&](store::WriteTxn& txn) { return store::create_run(txn, run, {}); }).ok());
  const std::string result = "a result";
  const std::string digest = crypto::sha256_hex(result);
  const Answer put =
      send(request_of("PUT", cat(kNodes, "/n1/runs/uid-r/artifacts/", digest), credential), result);
  ASSERT_EQ(put.status, 201) << put.text;
  EXPECT_TRUE(stored(offer(ours, digest, result.size())));
  EXPECT_FALSE(stored(offer(theirs, digest, result.size())));
}

}  // namespace
}  // namespace paddock::api
