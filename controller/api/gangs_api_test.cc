// Gangs as callers send them: what is taken, and by which field the rest is refused.
#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

class Gangs : public ApiTest {
 protected:
  static std::string text(const std::string& name, const std::string& fields) {
    return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":")", name,
               R"("},"spec":{"type":"command","command":["true"],)", fields, "}}");
  }
  static std::string field(const Answer& answer) {
    const wire::Value* causes = answer.body.at("error.details.causes");
    return causes == nullptr ? "" : causes->array()->at(0).text("field");
  }
};

TEST_F(Gangs, AreOneRunOfOneToTwoHundredAndFiftySixMembers) {
  for (const int64_t nodes : {1, 2, 256}) {
    const Answer made = call("POST", kRuns, text(cat("g", nodes), cat(R"("nodes":)", nodes)));
    ASSERT_EQ(made.status, 201) << made.text;
    EXPECT_EQ(*made.body.at("status.array.pending")->integer(), nodes);
    EXPECT_EQ(made.body.text("status.phase"), "Pending") << "however few nodes there are";
  }
}

TEST_F(Gangs, AreRefusedByTheFieldThatIsWrong) {
  struct Bad {
    const char* fields;
    const char* reason;
    const char* field;
  };
  const Bad cases[] = {
      {R"("nodes":0)", "INVALID_FIELD", "spec.nodes"},
      {R"("nodes":-1)", "INVALID_FIELD", "spec.nodes"},
      {R"("nodes":257)", "INVALID_FIELD", "spec.nodes"},
      {R"("nodes":1000000)", "INVALID_FIELD", "spec.nodes"},
      {R"("nodes":1.5)", "INVALID_FIELD", "spec.nodes"},
      {R"("nodes":"2")", "INVALID_FIELD", "spec.nodes"},
      {R"("nodes":2,"array":{"count":2})", "GANG_NOT_SUPPORTED", "spec.nodes"},
      {R"("nodes":2,"publish":"v","artifacts":{"dirs":["out"]})", "GANG_NOT_SUPPORTED",
       "spec.publish"},
      {R"("nodes":2,"toolToken":{"operations":["media:generate"]})", "GANG_NOT_SUPPORTED",
       "spec.toolToken"},
      {R"("memberPorts":[29500])", "GANG_NOT_SUPPORTED", "spec.memberPorts"},
      {R"("nodes":2,"memberPorts":[29500])", "GANG_NETWORK_UNAVAILABLE", "spec.memberPorts"},
      {R"("nodes":2,"sandbox":{"env":{"PADDOCK_RANK":"7"}})", "INVALID_FIELD",
       "spec.sandbox.env.PADDOCK_RANK"}};
  for (const Bad& each : cases) {
    const Answer answer = call("POST", kRuns, text("bad", each.fields));
    EXPECT_EQ(answer.reason(), each.reason) << answer.text;
    EXPECT_EQ(field(answer), each.field) << answer.text;
  }
  EXPECT_EQ(call("GET", kRuns).body.find("items")->array()->size(), 0u);
}

TEST_F(Gangs, HaveNoLogOfTheirOwnAndKeepTheNamesOfTheirMembers) {
  ASSERT_EQ(call("POST", kRuns, text("g", R"("nodes":2)")).status, 201);
  EXPECT_EQ(call("GET", cat(kRuns, "/g/log")).reason(), "RUN_IS_ARRAY");
  EXPECT_EQ(call("POST", kRuns, text("g-1", R"("priority":0)")).reason(), "ARRAY_NAME_TAKEN");
  EXPECT_EQ(call("POST", kRuns, text("g-2", R"("priority":0)")).status, 201);
}

TEST_F(Gangs, HaveToolTokensForWhatAGangHasAndMembersForTheRest) {
  ASSERT_EQ(call("POST", kRuns, text("g", R"("nodes":2)")).status, 201);
  const std::string tokens = cat(kRuns, "/g/tool-tokens");
  for (const char* operation : {"artifacts:read", "media:generate", "tool-results:write"}) {
    const Answer refused =
        call("POST", tokens, cat(R"({"operations":["run:read",")", operation, "\"]}"));
    EXPECT_EQ(refused.reason(), "RUN_IS_ARRAY") << refused.text;
    EXPECT_EQ(field(refused), "spec.operations[1]");
    EXPECT_NE(refused.text.find("g-0 to g-1"), std::string::npos) << refused.text;
  }
  const Answer made = call("POST", tokens, R"({"operations":["run:read","run:cancel"]})");
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string secret = made.body.text("status.token");
  EXPECT_EQ(send(request_of("GET", cat(kRuns, "/g"), secret), "").status, 200);
  EXPECT_EQ(send(request_of("POST", cat(kRuns, "/g/cancel"), secret), "").status, 200);
}

TEST_F(Gangs, CannotChangeTheirSize) {
  ASSERT_EQ(call("POST", kRuns, text("g", R"("nodes":2)")).status, 201);
  wire::Value stored = call("GET", cat(kRuns, "/g")).body;
  wire::Value spec = *stored.find("spec");
  spec.set("nodes", 3);
  stored.set("spec", spec);
  EXPECT_EQ(call("PUT", cat(kRuns, "/g"), wire::to_json(stored)).reason(), "FIELD_IMMUTABLE");
}

}  // namespace
}  // namespace paddock::api
