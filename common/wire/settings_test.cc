// What is told of a file that is no configuration: never its content.
#include "common/wire/settings.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/check.h"
#include "common/wire/describe.h"
#include "common/wire/yaml.h"

namespace paddock::wire {
namespace {

std::string shown(const std::string& field) {
  Check check;
  check.unknown(field);
  const Error error = without_content(check.error());
  EXPECT_EQ(error.message, cat(error.causes[0].field, ": unknown field"));
  return error.causes[0].field;
}

TEST(WithoutContent, NamesOfSettingsAreShownAsTheyAre) {
  for (const char* name :
       {"stor", "store.postgres.url-File", "allowedHosts[3].x", "A_B", "quotas.*"})
    EXPECT_EQ(shown(name), name);
  EXPECT_EQ(shown(std::string(64, 'a')), std::string(64, 'a'));
}

TEST(WithoutContent, WhatCanBeNoNameIsLeftOutWithAllBehindIt) {
  EXPECT_EQ(shown("root:$6$salt$hash"), "…");
  EXPECT_EQ(shown("tls.a b.secret"), "tls.…");
  EXPECT_EQ(shown(std::string(65, 'a')), "…");
  const std::string part(60, 'a');
  EXPECT_EQ(shown(cat(part, ".", part, ".", part)), cat(part, ".", part, ".…"));
}

TEST(WithoutContent, EachOfSeveralFaultsIsShortened) {
  Check check;
  check.unknown("pass word");
  check.unknown("pass phrase");
  const Error error = without_content(check.error());
  EXPECT_EQ(error.message, "…: unknown field (and 1 more)");
  EXPECT_EQ(error.causes[1].field, "…");
}

TEST(WithoutContent, TextThatIsNoDocumentIsNotQuoted) {
  const auto told = [](const char* text) {
    return without_content(parse_yaml(text).error()).message;
  };
  EXPECT_EQ(told("the \"secret\" is: 1\nthe \"secret\" is: 2\n").find("secret"), std::string::npos);
  EXPECT_NE(told("port: 1\nport: 2\n").find("\"port\""), std::string::npos);
  EXPECT_EQ(told("a: *secret\n").find("secret"), std::string::npos);
  EXPECT_NE(told("a: *secret\n").find("aliases are not allowed"), std::string::npos);
}

struct Rules {
  std::vector<int64_t> ports;
  static constexpr auto describe(auto&& visit) { return visit(field("ports", &Rules::ports, "")); }
};

TEST(Settings, FaultsOfTheFileAndOfVariablesAreCountedTogether) {
  std::string yaml = "ports: [a";
  for (int i = 1; i < 120; ++i) yaml += ", a";
  const std::map<std::string, std::string> variables = {{"P_NAME", "a"}};
  const SettingsSource source(yaml += "]", variables, "P_", schema<Rules>(), {.file = "c.yaml"});
  const Error error = source.decoded<Rules>(*source.read()).error();
  EXPECT_TRUE(error.message.starts_with("c.yaml:1: ports[0]: ")) << error.message;
  EXPECT_TRUE(error.message.ends_with(" (and 120 more)")) << error.message;
  EXPECT_EQ(error.message.find(" more)"), error.message.rfind(" more)")) << "one count";
  EXPECT_EQ(error.causes.back().field, "P_NAME");
  EXPECT_EQ(error.reason, "CONFIG_INVALID");
}

}  // namespace
}  // namespace paddock::wire
