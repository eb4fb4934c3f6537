#include "common/requirements/toml.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::requirements {
namespace {

std::string as_json(std::string_view text) {
  const auto parsed = parse_toml(text);
  return parsed ? wire::to_json(*parsed) : parsed.error().message;
}

TEST(Toml, TablesKeysAndValues) {
  EXPECT_EQ(as_json("a = 1 # one\r\n[b]\nc.d = \"x\"\n'e f' = [ 'y', \"z\",\n  # and\n ]\n"),
            R"({"a":"1","b":{"c":{"d":"x"},"e f":["y","z"]}})");
  EXPECT_EQ(as_json("[[p]]\nn = {x = true, y = 2024-01-01T00:00:00Z}\n[[p]]\n[p.q]\nr = -1.5\n"),
            R"({"p":[{"n":{"x":true,"y":"2024-01-01T00:00:00Z"}},{"q":{"r":"-1.5"}}]})");
}

TEST(Toml, StringsOfEveryKind) {
  EXPECT_EQ(as_json(R"(a = "q\"\\\u00e9\t")"), R"({"a":"q\"\\é\t"})");
  EXPECT_EQ(as_json("a = \"\"\"\nx \\\n   y\"\"\"\"\n"), R"({"a":"x y\""})");
  EXPECT_EQ(as_json("a = '''c:\\n'''\nb='\\d'"), R"({"a":"c:\\n","b":"\\d"})");
}

TEST(Toml, WhatIsNoneIsRefusedWithItsLine) {
  for (const char* text :
       {"\na", "\na =", "\na = \"x", "\na = [1", "\na = {b = 1", "\n[a", "\na = 1 2",
        "\na = \"\\q\"", "\na = \"\\ud800\"", "\n= 1", "\n[]", "\na.b = 1\na.b = 2"}) {
    const auto parsed = parse_toml(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().message.find("line "), std::string::npos) << text;
  }
  EXPECT_FALSE(parse_toml("a = 1\na = 2").ok());
  EXPECT_FALSE(parse_toml("a = 1\n[a]").ok());
  EXPECT_FALSE(parse_toml("a = \"\xff\"").ok());
}

TEST(Toml, IsBounded) {
  EXPECT_FALSE(parse_toml("a = " + std::string(100'000, '[')).ok());
  std::string key = "a";
  for (int i = 0; i < 100; ++i) key += ".a";
  EXPECT_FALSE(parse_toml(key + " = 1").ok());
  EXPECT_FALSE(parse_toml("[" + key + "]").ok());
  EXPECT_FALSE(parse_toml(std::string(9 << 20, '\n')).ok());
}

}  // namespace
}  // namespace paddock::requirements
