#include "cli/options/list_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/label_columns.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using wire::Value;

Parsed given(const std::map<std::string, std::vector<std::string>>& values) {
  Parsed parsed;
  parsed.values = values;
  return parsed;
}

std::vector<std::string> sorted(const ListOrder& order, const std::vector<std::string>& objects) {
  Keyed<std::string> items;
  for (const std::string& text : objects)
    items.emplace_back(order.key_of(*wire::parse_json(text)), text);
  arrange(order, items);
  std::vector<std::string> out;
  for (const auto& [key, text] : items) out.push_back(text);
  return out;
}

TEST(ListOrder, IsByAFieldOfTheObject) {
  const auto order = list_order(given({{"sort-by", {".a.b"}}}), Kind::kNode, true);
  ASSERT_TRUE(order.ok());
  EXPECT_THAT(
      sorted(*order, {R"({"a":{"b":10}})", R"({"a":{"b":"x"}})", R"({"a":{"b":9}})", R"({"c":1})"}),
      ElementsAre(R"({"c":1})", R"({"a":{"b":9}})", R"({"a":{"b":10}})", R"({"a":{"b":"x"}})"));
  EXPECT_THAT(sorted(*order, {R"({"a":{"b":"1Gi"}})", R"({"a":{"b":"512Mi"}})"}),
              ElementsAre(R"({"a":{"b":"512Mi"}})", R"({"a":{"b":"1Gi"}})"));
  for (const char* same : {"a.b", "{.a.b}"})
    EXPECT_EQ(list_order(given({{"sort-by", {same}}}), Kind::kNode, true)
                  ->key_of(*wire::parse_json(R"({"a":{"b":3}})"))
                  .number,
              3);
}

TEST(ListOrder, OfRunsIsTheirAgeAndTheNewestIsLast) {
  const auto order = list_order(given({{"limit", {"2"}}}), Kind::kRun, true);
  ASSERT_TRUE(order.ok());
  const auto made = [](const std::string& day) {
    return cat(R"({"metadata":{"creationTimestamp":"2026-01-0)", day, R"(T00:00:00Z"}})");
  };
  EXPECT_THAT(sorted(*order, {made("3"), made("1"), made("2")}), ElementsAre(made("2"), made("3")));
  EXPECT_FALSE(list_order(given({}), Kind::kRun, false)->gathers()) << "documents are as they come";
  EXPECT_FALSE(list_order(given({}), Kind::kNode, true)->gathers());
}

TEST(ListOrder, OfOnesOfOnePlaceStays) {
  const auto order = list_order(given({{"sort-by", {".a"}}}), Kind::kRun, true);
  EXPECT_THAT(sorted(*order, {R"({"a":1,"n":2})", R"({"a":1,"n":1})"}),
              ElementsAre(R"({"a":1,"n":2})", R"({"a":1,"n":1})"));
}

TEST(ListOrder, RefusesWhatIsNone) {
  const auto refused = [](const char* option, const char* text) {
    const auto order = list_order(given({{option, {text}}}), Kind::kRun, true);
    return order.ok() ? "" : cat(order.error().reason, " ", order.error().causes.at(0).field);
  };
  EXPECT_EQ(refused("limit", "0"), "INVALID_OPTION --limit");
  EXPECT_EQ(refused("limit", "-1"), "INVALID_OPTION --limit");
  EXPECT_EQ(refused("limit", "99999999999999999999"), "INVALID_OPTION --limit");
  EXPECT_EQ(refused("sort-by", ""), "INVALID_OPTION --sort-by");
  EXPECT_EQ(refused("sort-by", "{.a"), "BAD_JSONPATH --sort-by");
  EXPECT_EQ(refused("sort-by", ".a["), "BAD_JSONPATH --sort-by");
}

TEST(LabelColumns, AreNamedByTheirLabels) {
  EXPECT_THAT(*label_columns(given({{"label-columns", {"team,x.y/stage", "a"}}})),
              ElementsAre("team", "x.y/stage", "a"));
  EXPECT_EQ(label_header("x.y/stage"), "STAGE");
  const auto object = *wire::parse_json(R"({"metadata":{"labels":{"x.y/stage":"test"}}})");
  EXPECT_EQ(label_cell(object, "x.y/stage"), "test");
  EXPECT_EQ(label_cell(object, "team"), "");
  EXPECT_EQ(label_cell(Value(), "team"), "");
  const auto bad = label_columns(given({{"label-columns", {"team,,x"}}}));
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message, HasSubstr("team,,x"));
}

TEST(ListOrder, ByWhatNoObjectHasIsRefusedUnlessOneCould) {
  const auto checked = [](const std::string& path, bool has_it) {
    Keyed<int> items;
    items.emplace_back(SortKey{has_it, {}, ""}, 1);
    return list_order(given({{"sort-by", {path}}}), Kind::kRun, true)
        ->check_found(Kind::kRun, items);
  };
  EXPECT_EQ(checked(".status.startedAd", false).error().reason, "FIELD_UNKNOWN");
  EXPECT_EQ(checked(".status.startedAd", false).error().causes.front().field, "--sort-by");
  EXPECT_TRUE(checked(".status.ofANewerServer", true).ok());
  EXPECT_TRUE(checked(".status.startedAt", false).ok());
  EXPECT_TRUE(checked(".status.conditions[0].type", false).ok()) << "no path of names alone";
}

}  // namespace
}  // namespace paddock::cli
