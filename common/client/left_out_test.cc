#include "common/client/left_out.h"

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::client {
namespace {

std::string without(const char* body, const FieldPaths& paths) {
  wire::Value value = wire::parse_json(body).value();
  leave_out(value, paths);
  return wire::to_json(value);
}

TEST(LeftOut, IsWhatAnAnswerNamesAsUnknown) {
  Error error{Code::kInvalidArgument, "UNKNOWN_FIELD", "x"};
  error.causes = {{"status.disk", "unknown field"}, {"runs[12].outcome.artifacts[3].age", ""}};
  EXPECT_EQ(unknown_fields(error), (FieldPaths{"status.disk", "runs[].outcome.artifacts[].age"}));
  error.reason = "INVALID_FIELD";
  EXPECT_EQ(unknown_fields(error), FieldPaths());
}

TEST(LeftOut, IsNotSaidAndAllElseIs) {
  EXPECT_EQ(without(R"({"a":1,"b":{"c":2,"d":3}})", {"b.c", "e.f"}), R"({"a":1,"b":{"d":3}})");
  EXPECT_EQ(without(R"({"runs":[{"x":1,"y":[{"z":1},{"z":2,"w":3}]},{"x":2}]})",
                    {"runs[].x", "runs[].y[].z"}),
            R"({"runs":[{"y":[{},{"w":3}]},{}]})");
  EXPECT_EQ(without(R"({"a":[1,2],"b":"text"})", {"a[].x", "b.x", "", "a", "[]"}),
            R"({"b":"text"})");
}

}  // namespace
}  // namespace paddock::client
