#include "cli/output/json_path.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

const wire::Value& document() {
  static const wire::Value kDocument = wire::parse_json(R"({"kind":"RunList","items":[
    {"metadata":{"name":"a","labels":{"app.kubernetes.io/name":"x","team":"one"}},
     "status":{"phase":"Succeeded","result":{"rc":0}}},
    {"metadata":{"name":"b"},"status":{"phase":"Failed","result":{"rc":3}}},
    {"metadata":{"name":"c"},"status":{"phase":"Pending"}}]})")
                                           .value();
  return kDocument;
}

std::string shown(std::string_view path) {
  const auto parsed = JsonPath::parse(path);
  return parsed.ok() ? parsed->render(document()) : parsed.error().message;
}

TEST(JsonPath, FollowsNamesIndexesAndSlices) {
  EXPECT_EQ(shown("{.kind}"), "RunList");
  EXPECT_EQ(shown("{$.kind}"), "RunList");
  EXPECT_EQ(shown(".kind"), "RunList");
  EXPECT_EQ(shown("{.items[*].metadata.name}"), "a b c");
  EXPECT_EQ(shown("{.items.*.metadata.name}"), "a b c");
  EXPECT_EQ(shown("{.items[0].metadata.name}"), "a");
  EXPECT_EQ(shown("{.items[-1].metadata.name}"), "c");
  EXPECT_EQ(shown("{.items[1:].metadata.name}"), "b c");
  EXPECT_EQ(shown("{.items[:2].metadata.name}"), "a b");
  EXPECT_EQ(shown("{.items[-2:-1].metadata.name}"), "b");
  EXPECT_EQ(shown(R"({.items[0].metadata.labels.app\.kubernetes\.io/name})"), "x");
  EXPECT_EQ(shown("{.items[0].metadata.labels['app.kubernetes.io/name']}"), "x");
  EXPECT_EQ(shown("{..rc}"), "0 3");
}

TEST(JsonPath, ShowsWhatIsNoTextAsJson) {
  EXPECT_EQ(shown("{.items[1].status.result.rc}"), "3");
  EXPECT_EQ(shown("{.items[1].status}"), R"({"phase":"Failed","result":{"rc":3}})");
}

TEST(JsonPath, WhatIsNotThereIsEmpty) {
  EXPECT_EQ(shown("{.nothing.at.all}"), "");
  EXPECT_EQ(shown("{.items[7].metadata.name}"), "");
  EXPECT_EQ(shown("{.kind[0]}"), "");
  EXPECT_EQ(shown("{.items[2].status.result.rc}"), "");
}

TEST(JsonPath, GoesOverARange) {
  EXPECT_EQ(shown(R"({range .items[*]}{.metadata.name}{"\t"}{.status.phase}{"\n"}{end})"),
            "a\tSucceeded\nb\tFailed\nc\tPending\n");
  EXPECT_EQ(shown("{range .items[*]}<{.metadata.name}>{end}!"), "<a><b><c>!");
  EXPECT_EQ(shown("{range .items[0:1]}{range .metadata.labels.*}[{@}]{end}{$.kind}{end}"),
            "[x][one]RunList");
}

TEST(JsonPath, FiltersByWhatTheMembersHold) {
  EXPECT_EQ(shown(R"({.items[?(@.status.phase=="Failed")].metadata.name})"), "b");
  EXPECT_EQ(shown("{.items[?(@.status.phase != 'Failed')].metadata.name}"), "a c");
  EXPECT_EQ(shown("{.items[?(@.status.result.rc>=1)].metadata.name}"), "b");
  EXPECT_EQ(shown("{.items[?(@.status.result.rc < 3)].metadata.name}"), "a");
  EXPECT_EQ(shown("{.items[?(@.metadata.labels)].metadata.name}"), "a");
  EXPECT_EQ(shown("{.items[?(@.status.result.rc=='3')].metadata.name}"), "");
}

TEST(JsonPath, RefusesWhatItDoesNotUnderstandAndSaysWhere) {
  const auto place = [](const char* path) {
    const auto parsed = JsonPath::parse(path);
    if (parsed.ok()) return std::string("accepted");
    EXPECT_EQ(parsed.error().reason, "BAD_JSONPATH") << path;
    return parsed.error().message.substr(parsed.error().message.rfind("at character"));
  };
  EXPECT_EQ(place("{.items[}"), "at character 9");
  EXPECT_EQ(place("{.items"), "at character 8");
  EXPECT_EQ(place("{items}"), "at character 2");
  EXPECT_EQ(place("{range .items[*]}x"), "at character 19");
  EXPECT_EQ(place("x{end}"), "at character 6");
  EXPECT_EQ(place(R"({"a})"), "at character 5");
  EXPECT_EQ(place("{.a..}"), "at character 6");
  EXPECT_EQ(place("{.a[99999999999999999999]}"), "at character 25");
  EXPECT_EQ(place("{.a[0,1]}"), "at character 6");
  EXPECT_EQ(place("{.a[?(@.b==[1])]}"), "at character 12");
  EXPECT_EQ(place("nonsense"), "at character 1");
  EXPECT_EQ(JsonPath::parse("").error().reason, "BAD_JSONPATH");
}

TEST(JsonPath, HasAnEndHoweverDeepItIsNested) {
  std::string ranges;
  std::string filter = "@.a";
  for (int i = 0; i < 40; ++i) {
    ranges += "{range .a[*]}";
    filter = cat("@.a[?(", filter, ")]");
  }
  EXPECT_NE(shown(ranges).find("nested too deep"), std::string::npos);
  EXPECT_NE(shown("{.a[?(" + filter + ")]}").find("nested too deep"), std::string::npos);
}

}  // namespace
}  // namespace paddock::cli
