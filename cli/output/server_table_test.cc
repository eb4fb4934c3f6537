#include "cli/output/server_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::cli {
namespace {

// One row; `columns`: as the server defines them.
wire::Value answer(const std::string& columns) {
  return wire::parse_json(R"({"kind":"Table","columnDefinitions":)" + columns + R"(,"rows":[
      {"cells":["a","<none>",3],"object":{"metadata":{"name":"a","namespace":"lab",
       "labels":{"x.example/team":"red"}}}}]})")
      .value();
}
const std::string kColumns =
    R"([{"name":"Name","priority":0},{"name":"Reason","priority":1},{"name":"Files","priority":0}])";

std::string rendered(const TableOptions& options) {
  return render(ServerTable(options).take(answer(kColumns)).value());
}

TEST(ServerTable, ShowsTheColumnsOfTheServerAndTheOthersWhenItIsWide) {
  EXPECT_EQ(rendered({}), "NAME   FILES\na      3\n");
  EXPECT_EQ(rendered({.wide = true}), "NAME   REASON   FILES\na      -        3\n");
}

TEST(ServerTable, HasNamespacesAndLabelsAsColumnsOfItsOwn) {
  EXPECT_EQ(rendered({.all_namespaces = true, .labels = {"x.example/team", "y"}}),
            "NAMESPACE   NAME   FILES   TEAM   Y\nlab         a      3       red    -\n");
}

TEST(ServerTable, KeepsTheColumnsForAnswersThatLeaveThemOut) {
  ServerTable table({});
  ASSERT_TRUE(table.take(answer(kColumns)).ok());
  EXPECT_EQ(render(table.take(answer("[]")).value()), "NAME   FILES\na      3\n");
}

TEST(ServerTable, SaysWhatIsNone) {
  EXPECT_EQ(ServerTable({}).take(answer("[]")).error().reason, "UNEXPECTED_ANSWER");
  EXPECT_EQ(ServerTable({}).take(wire::Value(wire::Value::Object{})).error().reason,
            "UNEXPECTED_ANSWER");
}

}  // namespace
}  // namespace paddock::cli
