// POST /execute without a node: what is decided before one is needed, and that none is said.
#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

class Execute : public ApiTest {
 protected:
  Answer execute(const std::string& bytes) { return call("POST", "/execute", bytes); }
  std::string field_of(const Answer& answer) const {
    const wire::Value* causes = answer.body.at("error.details.causes");
    return causes == nullptr || causes->array()->empty() ? ""
                                                         : causes->array()->at(0).text("field");
  }
};

// proves: ELV-09, ELV-10, ELV-11
TEST_F(Execute, TellsTheCallerWhatIsWrongAs422) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({})", "code"},
      {R"({"code":""})", "code"},
      {R"({"code":"x","timeout_seconds":0})", "timeout_seconds"},
      {R"({"code":"x","timeout_seconds":61})", "timeout_seconds"},
      {R"({"code":"x","timeout_seconds":"x"})", "timeout_seconds"},
      {R"({"code":"x","memory_mb":63})", "memory_mb"},
      {R"({"code":"x","memory_mb":513})", "memory_mb"},
      {R"({"code":"x","input_data":[1]})", "input_data"},
      {R"({"code":"x","cod":1})", "cod"}};
  for (const auto& [bytes, field] : wrong) {
    const Answer answer = execute(bytes);
    EXPECT_EQ(answer.status, 422) << bytes;
    EXPECT_EQ(field_of(answer), field) << bytes;
  }
  for (const char* bytes : {"", "{", "[]", R"({"code":"x","code":"y"})"})
    EXPECT_EQ(execute(bytes).status, 422) << bytes;
}

// proves: ELV-07, ELV-08
TEST_F(Execute, AnswersWhatNeedsNoNode) {
  const Answer language = execute(R"({"code":"x","language":"Ruby"})");
  EXPECT_EQ(language.status, 200);
  EXPECT_EQ(language.body.text("error"), "Unsupported language: Ruby. Only 'python' is supported.");
  const Answer large = execute(cat(R"({"code":")", std::string(100'001, 'x'), "\"}"));
  EXPECT_EQ(large.body.text("error"), "Code exceeds maximum length of 100000 bytes.");
  EXPECT_EQ(large.body.find("exit_code")->integer()[0], -1);
}

TEST_F(Execute, SaysThatThereIsNoNodeAndThatItMayBeTriedAgain) {
  const Answer answer = execute(R"({"code":"x"})");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.reason(), "NO_NODE");
  EXPECT_EQ(*answer.body.at("error.retryable")->boolean(), true);
}

// proves: ELV-80
TEST_F(Execute, HoldsTheOperatorsCeilingByRefusing) {
  services_.execute.max_memory_mb = 128;
  EXPECT_EQ(field_of(execute(R"({"code":"x","memory_mb":129})")), "memory_mb");
  EXPECT_EQ(execute(R"({"code":"x","memory_mb":128})").reason(), "NO_NODE");
}

}  // namespace
}  // namespace paddock::api
