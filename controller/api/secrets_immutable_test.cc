#include "controller/api/secrets_test_support.h"

namespace paddock::api {
namespace {

TEST_F(Secrets, AnApplyMakesThemImmutableAndNothingElseOfThem) {
  const auto apply = [&](const std::string& more) {
    return patch(secret_document(cat(R"("data":{"a":"b25l"})", more)), "apply-patch+yaml",
                 "?fieldManager=me&force=true");
  };
  EXPECT_EQ(apply("").status, 201);
  const Answer typed = apply(R"(,"type":"example","stringData":{"b":"two"})");
  EXPECT_EQ(typed.body.text("type"), "example") << typed.text;
  EXPECT_EQ(names_of(typed), "a=3 b=3");
  const Answer fixed = apply(R"(,"immutable":true,"stringData":{"b":"two"})");
  ASSERT_NE(fixed.body.find("immutable"), nullptr) << fixed.text;
  EXPECT_EQ(apply(R"(,"immutable":false,"stringData":{"b":"two"})").reason(), "FIELD_IMMUTABLE");
  EXPECT_EQ(apply(R"(,"immutable":true,"stringData":{"b":"three"})").reason(), "FIELD_IMMUTABLE");
  EXPECT_EQ(apply(R"(,"immutable":true,"stringData":{"b":"two"})").status, 200);
}

// A caller who may write a Secret learns nothing of a value that somebody else sent, whatever it
// guesses.
TEST_F(Secrets, OfAnImmutableOneNobodyLearnsWhetherHeGuessedAValue) {
  ASSERT_EQ(make().status, 201);
  const std::string other = add_token("other", {"secrets:write", "secrets:read"});
  ASSERT_EQ(patch_as(other, R"({"stringData":{"mine":"one"}})").status, 200);
  ASSERT_EQ(patch(R"({"immutable":true})").status, 200);
  const std::string before = call("GET", kSecretPath).text;
  const auto tried = [&](const std::string& values) {
    std::vector<std::string> answers;
    for (const char* query : {"", "?dryRun=All"}) {
      const Answer merged = patch_as(other, cat("{", values, "}"), "merge-patch+json", query);
      const Answer applied =
          patch_as(other, secret_document(values), "apply-patch+yaml",
                   cat(*query == 0 ? "?" : "?dryRun=All&", "fieldManager=x&force=true"));
      answers.push_back(cat(merged.status, merged.reason(), applied.status, applied.reason()));
    }
    Request put = request_of("PUT", kSecretPath, other);
    const Answer whole = send(put, secret_document(cat(values, R"(,"immutable":true)")));
    answers.push_back(cat(whole.status, whole.reason()));
    return answers;
  };
  const std::string right =
      cat(R"("data":{"mine":"***","token":"***","password":")", kSecretValue64, "\"}");
  const std::string wrong = R"("data":{"mine":"***","token":"***","password":"d3Jvbmc="})";
  EXPECT_EQ(tried(right), tried(wrong));
  EXPECT_EQ(tried(right).back(), "422FIELD_IMMUTABLE");
  // A value of its own, sent along, does not help either.
  EXPECT_EQ(patch_as(other, R"({"stringData":{"mine":"one","token":"tiger-value"}})").reason(),
            "FIELD_IMMUTABLE");
  EXPECT_EQ(call("GET", kSecretPath).text, before);
  EXPECT_EQ(patch_as(other, R"({"stringData":{"mine":"one"}})").status, 200);
  EXPECT_EQ(patch_as(other, R"({"stringData":{"mine":"two"}})").reason(), "FIELD_IMMUTABLE");
  EXPECT_EQ(patch(R"({"stringData":{"token":"tiger-value"}})").status, 200);
}

}  // namespace
}  // namespace paddock::api
