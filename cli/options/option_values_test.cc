#include "cli/options/option_values.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(OptionValues, NameTheOptionThatIsWrong) {
  EXPECT_EQ(parse_accelerator("any")->count, 1);
  for (const char* text : {"tpu", "nvidia=0", "nvidia=x", ""})
    EXPECT_FALSE(parse_accelerator(text).ok()) << text;
  const auto bad = duration_option({"x", {{"timeout", {"soon"}}}}, "timeout");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().causes[0].field, "--timeout");
  EXPECT_FALSE(integer_option({"x", {{"port", {"70000"}}}}, "port", 0, 65535).ok());
  EXPECT_EQ(parse_labels({"a=b=c"})->at("a"), "b=c");
  EXPECT_FALSE(parse_labels({"=x"}).ok());
}

TEST(SwitchOption, IsRememberedUntilItIsTakenBack) {
  const auto asked = [](const std::vector<std::string>& given, bool remembered) {
    Parsed parsed;
    for (const std::string& name : given) parsed.values[name] = {};
    return switch_option(parsed, "network", remembered);
  };
  EXPECT_FALSE(*asked({}, false));
  EXPECT_TRUE(*asked({}, true));
  EXPECT_TRUE(*asked({"network"}, false));
  EXPECT_FALSE(*asked({"no-network"}, true));
  EXPECT_EQ(asked({"network", "no-network"}, true).error().reason, "USAGE");
}

TEST(SizeRemarks, AreMadeOfBytesThatAreSurelyNotMeant) {
  const auto remarks = [](const std::string& name, const std::string& text) {
    return size_remarks(Parsed{"run", {{name, {text}}}}).size();
  };
  EXPECT_EQ(remarks("disk", "10"), 1U);
  EXPECT_EQ(remarks("memory", "512"), 1U);
  EXPECT_EQ(remarks("memory", "1048576"), 0U);
  EXPECT_EQ(remarks("memory", "64Ki"), 0U);
  EXPECT_EQ(remarks("output-bytes", "10"), 0U);
  EXPECT_EQ(remarks("disk", "nonsense"), 0U);
}

}  // namespace
}  // namespace paddock::cli
