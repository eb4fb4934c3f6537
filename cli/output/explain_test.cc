#include "cli/output/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;

const wire::Value& openapi() {
  static const wire::Value kDocument = wire::parse_json(R"({"components":{"schemas":{
    "Run":{"type":"object","required":["spec"],"properties":{
      "spec":{"allOf":[{"$ref":"#/components/schemas/Spec"}],"description":"what is wanted"}}},
    "Spec":{"type":"object","required":["type"],"properties":{
      "type":{"type":"string","enum":["code","test"],"description":"how it runs"},
      "priority":{"type":"integer","minimum":-1,"maximum":9,"default":0},
      "labels":{"type":"object","additionalProperties":{"type":"string"}},
      "parts":{"type":"array","items":{"allOf":[{"$ref":"#/components/schemas/Part"}]}}}},
    "Part":{"type":"object","properties":{"name":{"type":"string","default":""},
      "inner":{"allOf":[{"$ref":"#/components/schemas/Part"}]}}}}}})")
                                           .value();
  return kDocument;
}

std::string explained(std::vector<std::string> path, bool recursive = false,
                      const std::string& kind = "Run") {
  const auto text = explain_text(openapi(), {kind, std::move(path), recursive});
  return text.ok() ? *text : text.error().message;
}

TEST(Explain, ShowsAFieldAndWhatIsBelowIt) {
  EXPECT_EQ(explained({"spec"}),
            "KIND:     Run\n"
            "VERSION:  paddock.dev/v1alpha1\n"
            "FIELD:    run.spec <Spec>\n"
            "\n"
            "  what is wanted\n"
            "\n"
            "FIELDS:\n"
            "  type <string> -required-\n"
            "      how it runs\n"
            "      one of code, test\n"
            "  priority <integer>\n"
            "      at least -1; at most 9; default 0\n"
            "  labels <map[string]string>\n"
            "  parts <[]Part>\n");
}

TEST(Explain, GoesThroughListsAndEndsAtAPlainField) {
  EXPECT_EQ(explained({"spec", "parts", "name"}),
            "KIND:     Run\nVERSION:  paddock.dev/v1alpha1\nFIELD:    run.spec.parts.name "
            "<string>\n");
}

TEST(Explain, ATypeThatHoldsItselfHasAnEnd) {
  EXPECT_THAT(explained({}, true), HasSubstr("      inner <Part>\n        name <string>\n"));
}

TEST(Explain, NamesTheNearestField) {
  EXPECT_EQ(explained({"spec", "prioritty"}),
            "`run.spec` has no field `prioritty`; did you mean `priority`?");
  EXPECT_EQ(explained({"spec", "type", "x"}),
            "`run.spec.type` has no field `x`; it has no fields of its own");
  EXPECT_EQ(explained({}, false, "Node"), "the server does not describe `Node`");
}

TEST(Explain, AServerThatDescribesNothingIsNoCrash) {
  EXPECT_FALSE(explain_text(wire::Value(), {"Run", {}, false}).ok());
}

}  // namespace
}  // namespace paddock::cli
