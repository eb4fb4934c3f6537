#include "common/wire/describe.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "common/wire/units.h"

namespace paddock::wire {

enum class Colour { kRed, kGreen };
template <>
struct EnumNames<Colour> {
  static constexpr std::array values = {std::pair{Colour::kRed, std::string_view("red")},
                                        std::pair{Colour::kGreen, std::string_view("green")}};
};

namespace {

struct Step {
  std::string name;
  std::optional<int64_t> retries;
  static constexpr auto describe(auto&& visit) {
    return visit(field("name", &Step::name, "what it is called",
                       {.required = true, .min_length = 1, .max_length = 5}),
                 field("retries", &Step::retries, "how often to try again", {.min = 0, .max = 10}));
  }
};

struct Plan {
  std::vector<Step> steps;
  std::map<std::string, int> weights;
  Colour colour = Colour::kRed;
  bool dry = false;
  double ratio = 0.5;
  Duration wait{Millis(1000)};
  Quantity size;
  std::optional<Timestamp> at;
  Value extra;
  std::string note;
  static constexpr auto describe(auto&& visit) {
    return visit(field("steps", &Plan::steps, "in order", {.required = true, .max_length = 3}),
                 field("weights", &Plan::weights, "by name", {.omit_empty = true, .max_length = 2}),
                 field("colour", &Plan::colour, "of the plan"),
                 field("dry", &Plan::dry, "only say so"), field("ratio", &Plan::ratio, "a share"),
                 field("wait", &Plan::wait, "between steps"),
                 field("size", &Plan::size, "of the output"), field("at", &Plan::at, "when"),
                 field("extra", &Plan::extra, "anything"),
                 field("note", &Plan::note, "for people", {.omit_empty = true}));
  }
  void validate(Check& check) const {
    if (dry && colour == Colour::kGreen) check.fail("colour", "a dry plan cannot be green");
  }
};

Result<Plan> plan_of(std::string_view json) {
  auto value = parse_json(json);
  if (!value) return std::move(value).error();
  return decode<Plan>(*value);
}
std::vector<std::string> faults_of(std::string_view json) {
  const auto plan = plan_of(json);
  std::vector<std::string> out;
  if (plan.ok()) return out;
  for (const Cause& cause : plan.error().causes)
    out.push_back(cat(cause.field, ": ", cause.message));
  return out;
}
using Faults = std::vector<std::string>;

TEST(Describe, DecodesEveryKindOfField) {
  const auto plan = plan_of(
      R"({"steps":[{"name":"a","retries":3},{"name":"b"}],"weights":{"x":1},"colour":"green",
    "ratio":2,"wait":"1m30s","size":"2Ki","at":"2026-01-02T03:04:05Z","extra":{"any":[1]},"note":"n"})");
  ASSERT_TRUE(plan.ok()) << plan.error().describe();
  EXPECT_EQ(plan->steps[0].retries, 3);
  EXPECT_EQ(plan->steps[1].retries, std::nullopt);
  EXPECT_EQ(plan->weights.at("x"), 1);
  EXPECT_EQ(plan->colour, Colour::kGreen);
  EXPECT_EQ(plan->ratio, 2.0);
  EXPECT_EQ(plan->wait.value, Millis(90'000));
  EXPECT_EQ(plan->size.bytes, 2048);
  EXPECT_EQ(plan->at->value, WallTime{1'767'323'045'000});
  EXPECT_EQ(to_json(plan->extra), R"({"any":[1]})");
}

TEST(Describe, EncodesInDeclaredOrderAndLeavesOutWhatIsEmpty) {
  EXPECT_EQ(
      to_json(encode(Plan{.steps = {{.name = "a"}}})),
      R"({"steps":[{"name":"a"}],"colour":"red","dry":false,"ratio":0.5,"wait":"1s","size":"0","extra":null})");
}

TEST(Describe, WritesTheTextOfWhatItEncodes) {
  const std::vector<std::string> texts = {
      R"({"steps": []})",
      R"({"steps": [{"name": "a"}, {"name": "b", "retries": 3}], "dry": true, "note": "x"})",
      R"({"steps": [{"name": "\u00e9\"\\\n"}], "weights": {"k\u0001": -7, "z": 0}, "ratio": 1e300})",
      R"({"steps": [], "at": "2026-01-02T03:04:05Z", "extra": {"a": [null, {}, [], "", {"b": []}]}})"};
  for (const std::string& text : texts) {
    const Plan plan = *plan_of(text);
    EXPECT_EQ(encode_json(plan), to_json(encode(plan)));
  }
  EXPECT_EQ(encode_json(std::vector<Plan>{Plan{}, Plan{}}),
            to_json(encode(std::vector<Plan>{Plan{}, Plan{}})));
  EXPECT_EQ(encode_json(std::optional<Step>()), "null");
}

TEST(Describe, ReportsEveryFaultAtOnceEachWithItsPath) {
  EXPECT_EQ(
      faults_of(
          R"({"steps":[{"nam":"a"},{"name":"toolong","retries":11},7],"weights":{"x":"y"},"colour":"blue",
    "dry":1,"ratio":"x","wait":"soon","size":-1,"at":"now","note":[]})"),
      (Faults{"steps[0].nam: unknown field", "steps[0].name: required field is missing",
              "steps[1].name: must have at most 5 bytes", "steps[1].retries: must be at most 10",
              "steps[2]: expected object, got integer", "weights.x: expected integer, got string",
              "colour: \"blue\" is not one of: red, green", "dry: expected boolean, got integer",
              "ratio: expected number, got string",
              "wait: \"soon\" is not a duration: write for example 30m, 90s, 1h30m or 250ms",
              "size: must not be negative", "at: expected a time such as \"2026-01-02T03:04:05Z\"",
              "note: expected string, got array"}));
}

TEST(Describe, TellsUnknownFieldsFromOtherFaults) {
  EXPECT_EQ(plan_of(R"({"steps":[],"stepz":1})").error().reason, "UNKNOWN_FIELD");
  EXPECT_EQ(plan_of(R"({"steps":[],"stepz":1,"dry":2})").error().reason, "INVALID_FIELD");
  EXPECT_EQ(plan_of(R"({"stepz":1})").error().message, "stepz: unknown field (and 1 more)");
}

TEST(Describe, ChecksLengthsAndRanges) {
  EXPECT_EQ(faults_of(R"({"steps":[{"name":""}]})"),
            (Faults{"steps[0].name: must have at least 1 byte"}));
  EXPECT_EQ(faults_of(R"({"steps":[{"name":"a","retries":-1}]})"),
            (Faults{"steps[0].retries: must be at least 0"}));
  EXPECT_EQ(faults_of(R"({"steps":[],"weights":{"a":1,"b":2,"c":3}})"),
            (Faults{"weights: must have at most 2 entries"}));
  EXPECT_EQ(faults_of(R"({"steps":[],"weights":{"a":2147483648}})"),
            (Faults{"weights.a: must be at most 2147483647"}));
  for (const char* number : {"1.5", "1e300", "-1e17"})
    EXPECT_EQ(faults_of(cat(R"({"steps":[],"weights":{"a":)", number, "}}")),
              (Faults{"weights.a: expected integer, got number"}));
}

TEST(Describe, TakesAWholeNumberForAnInteger) {
  EXPECT_EQ(plan_of(R"({"steps":[],"weights":{"a":256.0,"b":2e2}})")->weights,
            (std::map<std::string, int>{{"a", 256}, {"b", 200}}));
  EXPECT_EQ(faults_of(R"({"steps":[],"weights":{"a":2147483648.0}})"),
            (Faults{"weights.a: must be at most 2147483647"}));
}

TEST(Describe, TakesNullForAbsent) {
  EXPECT_TRUE(plan_of(R"({"steps":[],"note":null,"at":null})").ok());
  EXPECT_EQ(faults_of(R"({"steps":null})"), (Faults{"steps: required field is missing"}));
}

TEST(Describe, ChecksRulesAcrossFieldsOnlyWhenTheFieldsAreSound) {
  EXPECT_EQ(faults_of(R"({"steps":[],"dry":true,"colour":"green"})"),
            (Faults{"colour: a dry plan cannot be green"}));
  EXPECT_EQ(faults_of(R"({"steps":[],"dry":true,"colour":"green","note":1})"),
            (Faults{"note: expected string, got integer"}));
}

TEST(Describe, RefusesADocumentThatIsNoObject) {
  EXPECT_EQ(faults_of("[]"), (Faults{": expected object, got array"}));
  EXPECT_EQ(faults_of("null"), (Faults{": expected object, got null"}));
  EXPECT_EQ(plan_of("[]").error().message, "expected object, got array");
}

TEST(Describe, MakesASchemaWithDocumentationAndLimits) {
  EXPECT_EQ(
      to_json(schema<Step>()),
      R"({"type":"object","properties":{"name":{"type":"string","description":"what it is called","minLength":1,)"
      R"("maxLength":5},"retries":{"type":"integer","format":"int64","description":"how often to try again",)"
      R"("minimum":0,"maximum":10}},"required":["name"]})");
  EXPECT_EQ(schema<Plan>().at("properties.colour.enum")->array()->size(), 2U);
}

TEST(Value, FindsMembersAlongADottedPath) {
  const Value value = *parse_json(R"({"a":{"b":{"c":"x"}},"n":1})");
  EXPECT_EQ(value.text("a.b.c"), "x");
  EXPECT_EQ(value.text("a.b"), "");
  EXPECT_EQ(value.at("a.x.c"), nullptr);
  EXPECT_EQ(value.at("n.x"), nullptr);
}

TEST(Value, SetReplacesEraseRemoves) {
  Value value;
  value.set("a", 1);
  value.set("b", 2);
  value.set("a", 3);
  EXPECT_EQ(to_json(value), R"({"a":3,"b":2})");
  value.erase("a");
  EXPECT_EQ(to_json(value), R"({"b":2})");
}

}  // namespace
}  // namespace paddock::wire
