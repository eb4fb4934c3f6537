#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

class Build : public ApiTest {
 protected:
  void SetUp() override { make_workspace(); }
  Answer build(const std::string& fields) { return call("POST", "/build", cat("{", fields, "}")); }
  static std::string field_of(const Answer& answer) {
    const wire::Value* causes = answer.body.at("error.details.causes");
    return causes == nullptr ? "" : causes->array()->at(0).text("field");
  }
};

// proves: ORB-20, ORB-21, ORB-22, ORB-23
TEST_F(Build, BecomesARunThatRepeatsWhatWasAsked) {
  const Answer made = build(
      R"("build_type":"compute","compute_command":"python3 s.py --variant s2","workspace":"w",)"
      R"("container":"box-7","artifact_dirs":["models/","out"])");
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.body.text("kind"), "Run");
  EXPECT_EQ(made.body.text("spec.type"), "compute");
  EXPECT_EQ(made.body.text("spec.command"), "python3 s.py --variant s2");
  EXPECT_EQ(made.body.text("spec.workspace"), "w");
  EXPECT_EQ(made.body.at("spec.artifacts.dirs")->array()->at(1), wire::Value("out"));
  const wire::Value* notes = made.body.at("metadata.annotations");
  ASSERT_NE(notes, nullptr);
  EXPECT_EQ(*notes->find("paddock.dev/container"), wire::Value("box-7"));
  EXPECT_EQ(call("GET", cat(kRuns, "/", made.body.text("metadata.name"))).status, 200);
  EXPECT_EQ(build(R"("build_type":"compute","compute_command":"python3 s.py","workspace":"w",)"
                  R"("requirements":"missing.txt")")
                .reason(),
            "REQUIREMENTS_INVALID");
}

// proves: ORB-22
TEST_F(Build, WithoutACommandIsRefusedInTheWordsOfTheDesign) {
  for (const char* fields : {R"("build_type":"compute","workspace":"w")",
                             R"("build_type":"compute","compute_command":"","workspace":"w")",
                             R"("build_type":"compute","compute_command":"  ","workspace":"w")"}) {
    const Answer answer = build(fields);
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(field_of(answer), "compute_command");
    EXPECT_NE(answer.text.find("compute command is required"), std::string::npos) << answer.text;
  }
}

// proves partly: ORB-06
TEST_F(Build, NamesTheFieldOfTheRequestInEveryRefusal) {
  const struct {
    const char* fields;
    const char* field;
  } cases[] = {
      {R"("compute_command":"python3 s.py","workspace":"w")", "build_type"},
      {R"("build_type":"make","compute_command":"python3 s.py")", "build_type"},
      {R"("build_type":"agent","compute_command":"python3 s.py")", "build_type"},
      {R"("build_type":"compute","compute_command":7)", "compute_command"},
      {R"("build_type":"compute","compute_command":"python3 -c 1","workspace":"w")",
       "compute_command"},
      {R"("build_type":"compute","compute_command":"python3 'x","workspace":"w")",
       "compute_command"},
      {R"("build_type":"compute","compute_command":"python3 s.py","workspace":"none")",
       "workspace"},
      {R"("build_type":"compute","compute_command":"python3 s.py","workspace":["w"])", "workspace"},
      {R"("build_type":"compute","compute_command":"python3 s.py","workspace":"w",)"
       R"("requirements":"../r")",
       "requirements"},
      {R"("build_type":"compute","compute_command":"python3 s.py","workspace":"w",)"
       R"("artifact_dirs":["ok","/etc"])",
       "artifact_dirs[1]"},
      {R"("build_type":"compute","compute_command":"python3 s.py","workspace":"w",)"
       R"("artifact_dirs":"models")",
       "artifact_dirs"},
      {R"("build_type":"compute","compute_command":"python3 s.py","env":{"A":"1"})", "env"},
      {R"("build_type":"compute","compute_command":"python3 s.py","container":5)", "container"},
  };
  for (const auto& each : cases) {
    const Answer answer = build(each.fields);
    EXPECT_GE(answer.status, 400) << each.fields;
    EXPECT_LT(answer.status, 500) << each.fields;
    EXPECT_EQ(field_of(answer), each.field) << answer.text;
  }
  EXPECT_EQ(call("GET", kRuns).body.find("items")->array()->size(), 0u);
}

// proves: ORB-06
TEST_F(Build, HasEachOfTheThreeTypes) {
  const std::string wrapper = "#!/bin/sh\n";
  const std::string digest = crypto::sha256_hex(wrapper);
  ASSERT_EQ(call("PUT", cat(kWorkspaces, "/w/blobs/", digest), wrapper).status, 201);
  const auto entry = [&](const char* path) {
    return cat(R"({"path":")", path, R"(","size":10,"executable":true,"digest":")", digest, "\"}");
  };
  ASSERT_EQ(call("POST", cat(kWorkspaces, "/w/tree"),
                 cat(R"({"entries":[)", entry("build.sh"), ",", entry("gradlew"), ",",
                     entry("s.py"), "]}"))
                .status,
            200);
  const struct {
    const char* type;
    const char* command;
    const char* wrong;
  } cases[] = {{"compute", "python3 s.py", "./gradlew build"},
               {"script", "bash build.sh release", "python3 s.py"},
               {"gradle", "./gradlew build", "bash build.sh"}};
  for (const auto& each : cases) {
    const auto with = [&](const char* command) {
      return build(cat(R"("build_type":")", each.type, R"(","compute_command":")", command,
                       R"(","workspace":"w")"));
    };
    const Answer made = with(each.command);
    EXPECT_EQ(made.status, 201) << made.text;
    EXPECT_EQ(made.body.text("spec.type"), each.type);
    const Answer refused = with(each.wrong);
    EXPECT_EQ(refused.reason(), "COMMAND_NOT_ALLOWED");
    EXPECT_EQ(field_of(refused), "compute_command");
  }
  EXPECT_EQ(field_of(build(R"("build_type":"script","workspace":"w")")), "compute_command");
  EXPECT_EQ(field_of(build(R"("build_type":"ruby","compute_command":"x","workspace":"w")")),
            "build_type");
}

TEST_F(Build, IsNotForTokensOfANamespace) {
  const std::string outside = add_token("b", {"*"}, "elsewhere");
  const Answer answer = send(request_of("POST", "/build", outside),
                             R"({"build_type":"compute","compute_command":"python3 s.py"})");
  EXPECT_EQ(answer.reason(), "NAMESPACE_DENIED");
}

}  // namespace
}  // namespace paddock::api
