#include "controller/api/server/documents.h"

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

TEST(FlagParameter, IsTrueOrFalseOrRefusedByName) {
  const auto read = [](const std::string& value) {
    Request request;
    request.query = {{"other", "x"}, {"watch", value}};
    return flag_parameter(request, "watch");
  };
  EXPECT_EQ(*flag_parameter(Request(), "watch"), false);
  for (const char* value : {"true", "1", "", "True", "TRUE"}) EXPECT_TRUE(*read(value)) << value;
  for (const char* value : {"false", "0", "False"}) EXPECT_FALSE(*read(value)) << value;
  for (const char* value : {"maybe", "yes", "2", " true", "t"}) {
    const auto refused = read(value);
    ASSERT_FALSE(refused.ok()) << value;
    EXPECT_EQ(refused.error().reason, "PARAMETER_INVALID");
    EXPECT_EQ(refused.error().causes.at(0).field, "watch");
  }
}

}  // namespace
}  // namespace paddock::api
