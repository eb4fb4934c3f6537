#include "controller/k8s/api_types.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/k8s/discovery.h"

namespace paddock::k8s {
namespace {

using wire::Value;

std::string golden_path() {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  return cat(source == nullptr ? "." : source, "/tests/golden/openapi.json");
}

// A changed file is a changed API: both clients and docs/api.md are made from it
// (scripts/generate).
TEST(ApiTypes, AreTheOnesInTheGoldenFile) {
  const Value document =
      Value::Object{{"openapi", "3.0.0"}, {"components", Value::Object{{"schemas", api_types()}}}};
  const std::string text = wire::to_pretty_json(document);
  if (std::getenv("PADDOCK_ACCEPT_GOLDEN") != nullptr)
    std::ofstream(golden_path(), std::ios::binary) << text;
  std::ifstream file(golden_path(), std::ios::binary);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

// Every reference leads to a type that is there.
void check_references(const Value& value) {
  if (value.array() != nullptr) {
    for (const Value& each : *value.array()) check_references(each);
  }
  if (value.object() == nullptr) return;
  for (const auto& [key, member] : *value.object()) {
    check_references(member);
    if (key != "$ref") continue;
    constexpr std::string_view kPlace = "#/components/schemas/";
    ASSERT_TRUE(member.string()->starts_with(kPlace));
    EXPECT_NE(api_types().find(member.string()->substr(kPlace.size())), nullptr)
        << *member.string();
  }
}

TEST(ApiTypes, NameEachTypeOnceAndReferToIt) {
  check_references(api_types());
  const Value& spec = *api_types().find("RunSpec");
  EXPECT_EQ(wire::to_json(*spec.at("properties.sandbox.allOf")),
            R"([{"$ref":"#/components/schemas/SandboxPolicy"}])");
  EXPECT_EQ(spec.at("properties.sandbox.properties"), nullptr);
  EXPECT_EQ(
      wire::to_json(*api_types().at("SandboxResult.properties.enforced.additionalProperties")),
      R"({"allOf":[{"$ref":"#/components/schemas/Enforcement"}]})");
}

TEST(ApiTypes, SayWhatAnAbsentFieldMeans) {
  const Value& types = api_types();
  EXPECT_EQ(*types.at("SandboxPolicy.properties.allowPartial.default"), Value(false));
  EXPECT_EQ(*types.at("Accelerators.properties.count.default"), Value(1));
  EXPECT_EQ(types.at("RunSpec.properties.type.default"), nullptr);     // required
  EXPECT_EQ(types.at("RunSpec.properties.timeout.default"), nullptr);  // none: the profile's
  EXPECT_EQ(*types.at("RunSpec.properties.workspace.default"), Value(""));
  EXPECT_EQ(*types.at("RunSpec.properties.workspace.x-omitempty"), Value(true));
  EXPECT_EQ(types.at("SandboxResult.properties.errorClass.default"), nullptr);
}

TEST(ApiTypes, AreServedBesideTheKindsThatKubectlReads) {
  const Value& schemas = *openapi_document().at("components.schemas");
  EXPECT_NE(schemas.find("dev.paddock.v1alpha1.Run"), nullptr);
  EXPECT_EQ(*schemas.find("SandboxResult"), *api_types().find("SandboxResult"));
}

}  // namespace
}  // namespace paddock::k8s
