#include "common/wire/json.h"

#include <limits>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/internal/random_value.h"

namespace paddock::wire {
namespace {

std::string reason_of(std::string_view text, const ParseLimits& limits = {}) {
  const auto parsed = parse_json(text, limits);
  return parsed.ok() ? cat("accepted as ", to_json(*parsed)) : parsed.error().reason.str();
}
// The reason, and where the text is at fault: the end of the message.
std::string fault_of(std::string_view text) {
  const auto parsed = parse_json(text);
  if (parsed.ok()) return "accepted";
  const Error& error = parsed.error();
  return cat(error.reason, error.message.substr(error.message.rfind(" at ")));
}

Value json(std::string_view text) { return parse_json(text).value(); }

TEST(Value, IsEqualWhateverTheOrderOfMembers) {
  EXPECT_EQ(json(R"({"a":1,"b":{"c":[{"d":1,"e":2}],"f":2}})"),
            json(R"({"b":{"f":2,"c":[{"e":2,"d":1}]},"a":1})"));
  EXPECT_EQ(json("{}"), json("{}"));
  for (const char* other : {R"({"b":2,"a":2})", R"({"b":1,"a":2})", R"({"a":1})",
                            R"({"c":2,"a":1})", R"({"a":1,"b":2,"c":3})", R"([1,2])", "null", "{}"})
    EXPECT_FALSE(json(R"({"a":1,"b":2})") == json(other)) << other;
  EXPECT_FALSE(json("[1,2]") == json("[2,1]"));
  EXPECT_FALSE(json("{}") == json("[]"));
}

TEST(Value, IsComparedOncePerMember) {
  constexpr int kMany = 30'000;  // by pairs it would take minutes
  Value::Object up;
  for (int i = 0; i < kMany; ++i) up.emplace_back(std::to_string(i), i);
  const Value::Object down(up.rbegin(), up.rend());
  EXPECT_EQ(Value(up), Value(down));
  Value deep(1);  // and not twice on each floor
  Value turned(1);
  for (int i = 0; i < 60; ++i) {
    deep = Value::Object{{"a", 1}, {"b", std::move(deep)}};
    turned = Value::Object{{"b", std::move(turned)}, {"a", 1}};
  }
  EXPECT_EQ(deep, turned);
}

TEST(Json, ReadsEveryKindOfValueAndKeepsTheOrderOfMembers) {
  const auto parsed = parse_json(R"( {"b":[1,-2.5,true,false,null,"x"],"a":{}} )");
  ASSERT_TRUE(parsed.ok()) << parsed.error().describe();
  EXPECT_EQ(*parsed, Value(Value::Object{{"b", Value::Array{1, -2.5, true, false, nullptr, "x"}},
                                         {"a", Value::Object{}}}));
  EXPECT_EQ(to_json(*parsed), R"({"b":[1,-2.5,true,false,null,"x"],"a":{}})");
}

TEST(Json, KeepsIntegersExactToTheEndsOfInt64) {
  EXPECT_EQ(*parse_json("9223372036854775807"), Value(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(*parse_json("-9223372036854775808"), Value(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(*parse_json("9007199254740993"), Value(int64_t{9007199254740993}));
}

TEST(Json, RefusesIntegersThatDoNotFitInsteadOfRoundingThem) {
  EXPECT_EQ(reason_of("9223372036854775808"), "MALFORMED_JSON");
  EXPECT_EQ(reason_of("[-9223372036854775809]"), "MALFORMED_JSON");
  EXPECT_EQ(reason_of("18446744073709551616"), "MALFORMED_JSON");
}

TEST(Json, RefusesNumbersThatAreNotFiniteOrVanish) {
  EXPECT_EQ(reason_of("1e400"), "MALFORMED_JSON");
  EXPECT_EQ(reason_of("1e-400"), "MALFORMED_JSON");
  EXPECT_EQ(reason_of("[0.000001333e-2147483639]"), "MALFORMED_JSON");  // CVE-2024-38517
  EXPECT_EQ(reason_of("[1e99999999999999999999]"), "MALFORMED_JSON");
  EXPECT_EQ(*parse_json("1e308"), Value(1e308));
}

TEST(Json, RefusesWhatRfc8259DoesNotKnow) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           "[1,]",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{'a':1}",
                           "01",
                           "+1",
                           ".5",
                           "1.",
                           "1e",
                           "0x10",
                           "NaN",
                           "Infinity",
                           "-",
                           "tru",
                           "nullx",
                           "\"a",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"a\nb\"",
                           "[1 2]",
                           "{\"a\" 1}",
                           "// c\n1",
                           "/* c */ 1",
                           "1 2",
                           "{} {}",
                           "[]]",
                           "\xEF\xBB\xBF{}",
                           "\"\t\""}) {
    EXPECT_EQ(reason_of(text), "MALFORMED_JSON") << text;
  }
}

TEST(Json, RefusesANulByteAndWhatFollowsIt) {
  EXPECT_EQ(reason_of(std::string_view("{}\0garbage", 10)), "MALFORMED_JSON");
  EXPECT_EQ(reason_of(std::string_view("{}\0", 3)), "MALFORMED_JSON");
  EXPECT_EQ(reason_of(std::string_view("\"a\0b\"", 5)), "MALFORMED_JSON");
}

TEST(Json, RefusesMalformedUtf8AndNamesTheByte) {
  EXPECT_EQ(fault_of("{\"a\":\"\xFF\"}"), "MALFORMED_JSON at byte 6");
  EXPECT_EQ(reason_of("\"\xC0\xAF\""), "MALFORMED_JSON");      // overlong
  EXPECT_EQ(reason_of("\"\xED\xA0\x80\""), "MALFORMED_JSON");  // a surrogate
  EXPECT_EQ(reason_of("\"\xF4\x90\x80\x80\""), "MALFORMED_JSON");
  EXPECT_EQ(reason_of("\"\xE2\x82\""), "MALFORMED_JSON");  // cut short
}

TEST(Json, RefusesHalfASurrogatePairInAnEscape) {
  EXPECT_EQ(reason_of(R"("\ud800")"), "MALFORMED_JSON");
  EXPECT_EQ(reason_of(R"("\udc00")"), "MALFORMED_JSON");
  EXPECT_EQ(reason_of(R"({"\udc00":1})"), "MALFORMED_JSON");
  EXPECT_EQ(*parse_json(R"("\ud83d\ude00")"), Value("\xF0\x9F\x98\x80"));
}

TEST(Json, KeepsAnEscapedNulInsideAString) {
  const auto parsed = parse_json(R"("a\u0000b")");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed, Value(std::string("a\0b", 3)));
  EXPECT_EQ(to_json(*parsed), R"("a\u0000b")");
}

TEST(Json, RefusesDuplicateKeysInSmallAndLargeObjects) {
  EXPECT_EQ(fault_of(R"({"a":1,"b":2,"a":3})"), "MALFORMED_JSON at byte 16");
  EXPECT_EQ(reason_of(R"({"a":1,"\u0061":3})"), "MALFORMED_JSON");
  std::string large = "{";
  for (int i = 0; i < 1000; ++i) large += cat("\"k", i, "\":", i, ",");
  EXPECT_EQ(reason_of(large + "\"k3\":1}"), "MALFORMED_JSON");
  EXPECT_EQ(reason_of(large + "\"k999\":1}"), "MALFORMED_JSON");
  EXPECT_TRUE(parse_json(large + "\"other\":1}").ok());
  EXPECT_TRUE(parse_json(R"([{"a":1},{"a":1}])").ok());
}

TEST(Json, RefusesDeepNestingWithoutUsingTheStack) {
  const std::string deep(5'000'000, '[');
  EXPECT_EQ(reason_of(deep), "DOCUMENT_TOO_DEEP");
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(reason_of(objects), "DOCUMENT_TOO_DEEP");
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_json(nested(64)).ok());
  EXPECT_EQ(reason_of(nested(65)), "DOCUMENT_TOO_DEEP");
}

TEST(Json, DecidesSizeBeforeParsing) {
  ParseLimits limits;
  limits.max_bytes = 10;
  EXPECT_EQ(reason_of("[[[[[[[[[[[", limits), "DOCUMENT_TOO_LARGE");
  EXPECT_EQ(parse_json("[[[[[[[[[[[", limits).error().code, Code::kTooLarge);
  EXPECT_TRUE(parse_json("[1,2,3,45]", limits).ok());
}

TEST(Json, CountsValuesAndKeysAgainstTheLimit) {
  ParseLimits limits;
  limits.max_values = 5;
  EXPECT_TRUE(parse_json(R"({"a":1,"b":2})", limits).ok());
  EXPECT_EQ(reason_of(R"({"a":1,"b":[]})", limits), "accepted as {\"a\":1,\"b\":[]}");
  EXPECT_EQ(reason_of(R"({"a":1,"b":[1]})", limits), "DOCUMENT_TOO_LARGE");
  EXPECT_EQ(reason_of("[1,2,3,4,5]", limits), "DOCUMENT_TOO_LARGE");
}

TEST(Json, WritesDoublesInTheirShortestFormAndKeepsThemDoubles) {
  EXPECT_EQ(to_json(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(to_json(0.3), "0.3");
  EXPECT_EQ(to_json(1.0), "1.0");
  EXPECT_EQ(to_json(1e300), "1e+300");
  EXPECT_EQ(to_json(-0.0), "-0.0");
  EXPECT_EQ(*parse_json("1.0"), Value(1.0));
}

TEST(Json, ReplacesMalformedUtf8InWhatItWrites) {
  EXPECT_EQ(to_json(Value("a\xFFz")), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(to_json(Value::Object{{"\xFF", 1}}), "{\"\xEF\xBF\xBD\":1}");
}

TEST(Json, ReplacesMalformedUtf8BehindPlainText) {
  EXPECT_EQ(to_json(Value("eight bytes\xC3(, then\xE2\x82")),
            "\"eight bytes\xEF\xBF\xBD(, then\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(Json, EscapesControlCharactersAndQuotes) {
  EXPECT_EQ(to_json(Value("\x01\n\t\"\\/\x7F")), R"("\u0001\n\t\"\\/\u007f")");
}

TEST(Json, PrettyPrintsWithTwoSpacesAndAFinalNewline) {
  const Value value = Value::Object{{"a", Value::Array{1, Value::Object{}}}, {"b", Value::Array{}}};
  EXPECT_EQ(to_pretty_json(value), "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}\n");
}

TEST(JsonDeathTest, RefusesToWriteNumbersThatJsonDoesNotHave) {
  EXPECT_DEATH(to_json(std::numeric_limits<double>::infinity()), "NaN or infinity");
}

TEST(Json, ReadsBackWhateverItWrites) {
  SeededRandom random(20261121);
  for (int round = 0; round < 2000; ++round) {
    const Value value = internal::random_value(random);
    for (const std::string& text : {to_json(value), to_pretty_json(value)}) {
      const auto parsed = parse_json(text);
      ASSERT_TRUE(parsed.ok()) << parsed.error().describe() << "\n" << text;
      ASSERT_EQ(*parsed, value) << text;
    }
  }
}

}  // namespace
}  // namespace paddock::wire
