// Tests of Secrets: how they are written, patched and given to runs.
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "controller/api/api_test_support.h"

namespace paddock::api {

inline constexpr const char* kSecretsPath = "/apis/paddock.dev/v1alpha1/namespaces/default/secrets";
inline constexpr const char* kSecretPath =
    "/apis/paddock.dev/v1alpha1/namespaces/default/secrets/db";
// hunter2-value, in base64 and as it is; the others likewise.
inline constexpr const char* kSecretValue = "hunter2-value";
inline constexpr const char* kSecretValue64 = "aHVudGVyMi12YWx1ZQ==";
inline constexpr const char* kOtherSecretValue = "tiger-value";

inline std::string secret_document(const std::string& values,
                                   const std::string& meta = R"("name":"db")") {
  return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Secret","metadata":{)", meta, "}",
             values.empty() ? "" : ",", values, "}");
}

class Secrets : public ApiTest {
 protected:
  Secrets() { make_workspace(); }
  Answer make(const std::string& values = R"("data":{"password":"aHVudGVyMi12YWx1ZQ=="},)"
                                          R"("stringData":{"token":"tiger-value"})") {
    return call("POST", kSecretsPath, secret_document(values));
  }
  Answer patch(const std::string& body, const std::string& type = "merge-patch+json",
               const std::string& query = "") {
    return patch_as(admin_, body, type, query);
  }
  Answer patch_as(const std::string& token, const std::string& body,
                  const std::string& type = "merge-patch+json", const std::string& query = "") {
    Request request = request_of("PATCH", cat(kSecretPath, query), token);
    request.headers["content-type"] = cat("application/", type);
    return send(std::move(request), body);
  }
  static std::string names_of(const Answer& answer) {
    const auto secret = wire::decode<contracts::Secret>(answer.body);
    EXPECT_TRUE(secret.ok()) << answer.text;
    std::vector<std::string> names;
    for (const auto& each : secret->status.values) names.push_back(cat(each.name, "=", each.bytes));
    return join(names, " ");
  }
  void bind(const std::string& name, const std::string& node = "n1") {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(auto run, txn.get<contracts::Run>({"default", name}));
                      run.status.node_name = node;
                      run.status.phase = contracts::RunPhase::kScheduled;
                      run.status.attempt = 1;
                      return store::save_run(txn, run, {});
                    })
                    .ok());
  }
  Answer run_with(const std::string& secrets, const std::string& name = "r",
                  const std::string& type = "command") {
    return call("POST", kRuns,
                cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":")",
                    name, R"("},"spec":{"type":")", type,
                    R"(","command":["python3","s.py"],"workspace":"w","secrets":)", secrets, "}}"));
  }
  // What the node n1 is given for the run.
  Answer given(const std::string& name = "r", int attempt = 1) {
    const std::string uid = call("GET", cat(kRuns, "/", name)).body.text("metadata.uid");
    return send(request_of("POST", cat(kNodes, "/n1/runs/", uid, "/secrets"), node_),
                cat(R"({"attempt":)", attempt, "}"));
  }
  static void expect_no_value(const Answer& answer) {
    for (const char* value : {kSecretValue, kSecretValue64, kOtherSecretValue})
      EXPECT_THAT(answer.text, testing::Not(testing::HasSubstr(value)));
  }

  std::string node_ = add_token("node:n1", auth::node_scopes());
};

}  // namespace paddock::api
