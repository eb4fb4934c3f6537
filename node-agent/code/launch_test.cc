#include "node-agent/code/launch.h"

#include <gtest/gtest.h>

#include "common/contracts/homes.h"
#include "common/wire/json.h"

namespace paddock::code {
namespace {

constexpr const char* kCode = "print('$(id)')\n'''\x01é";

contracts::RunSpec spec_of(std::optional<wire::Value> input) {
  contracts::RunSpec spec;
  spec.type = contracts::RunType::kCode;
  spec.code = kCode;
  spec.input_data = std::move(input);
  return spec;
}

// proves partly: ELV-11
TEST(CodeLaunch, CarriesCodeAndDataAsFilesAndNothingOfThemInACommand) {
  const wire::Value data = wire::Value::Object{{"quote", "'\"\\\n"}, {"n", nullptr}, {"t", true}};
  const auto given = files(spec_of(data));
  EXPECT_EQ(given.at("/tmp/code.py"), kCode);
  EXPECT_EQ(wire::parse_json(given.at("/tmp/.paddock/input.json")).value(), data);
  const auto other = files(spec_of({}));
  EXPECT_EQ(other.at("/tmp/.paddock/input.json"), "null");
  EXPECT_EQ(other.at("/tmp/.paddock/start.py"), given.at("/tmp/.paddock/start.py"));
  for (const auto& [path, content] : given) EXPECT_TRUE(contracts::is_scratch_path(path)) << path;
  EXPECT_EQ(command().back(), "/tmp/.paddock/start.py");
}

TEST(CodeLaunch, TellsAnEmptyObjectFromNone) {
  EXPECT_EQ(files(spec_of(wire::Value::Object{})).at("/tmp/.paddock/input.json"), "{}");
}

}  // namespace
}  // namespace paddock::code
