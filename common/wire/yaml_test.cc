#include "common/wire/yaml.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/internal/random_value.h"

namespace paddock::wire {
namespace {

std::string yaml_reason(std::string_view text, const ParseLimits& limits = {}) {
  const auto parsed = parse_yaml(text, limits);
  return parsed.ok() ? cat("accepted as ", to_json(*parsed)) : parsed.error().reason.str();
}
// The reason, and where the text is at fault: the end of the message.
std::string where(const Error& error) {
  return cat(error.reason, error.message.substr(error.message.rfind(" at ")));
}
std::string yaml_fault(std::string_view text) {
  const auto parsed = parse_yaml(text);
  return parsed.ok() ? cat("accepted as ", to_json(*parsed)) : where(parsed.error());
}
std::string json_of(std::string_view text) {
  const auto parsed = parse_yaml(text);
  return parsed.ok() ? to_json(*parsed) : parsed.error().describe();
}

TEST(Yaml, ReadsBlocksAndFlows) {
  EXPECT_EQ(
      json_of("a: 1\nb:\n- x\n- y: [true, null, ~]\n  z: {q: 'w'}\nc: |\n  two\n  lines\nd: >-\n  "
              "one\n  line\n"),
      R"({"a":1,"b":["x",{"y":[true,null,null],"z":{"q":"w"}}],"c":"two\nlines\n","d":"one line"})");
}

TEST(Yaml, ReadsScalarsByTheCoreSchema) {
  EXPECT_EQ(json_of("[~, null, Null, NULL, true, True, TRUE, false]"),
            "[null,null,null,null,true,true,true,false]");
  EXPECT_EQ(json_of("[12, -12, +12, 0o17, 0x1F, 007]"), "[12,-12,12,15,31,7]");
  EXPECT_EQ(json_of("[1.5, -.5, 1., 1e3, +1.5E-3]"), "[1.5,-0.5,1.0,1000.0,0.0015]");
  EXPECT_EQ(
      json_of("[yes, no, on, off, y, n, nUll, 1_000, 12:30, 2026-01-02, 0b1, 1.2.3, e3, '-', 0x]"),
      R"(["yes","no","on","off","y","n","nUll","1_000","12:30","2026-01-02","0b1","1.2.3","e3","-","0x"])");
}

TEST(Yaml, KeepsQuotedScalarsStrings) {
  EXPECT_EQ(json_of("['12', \"true\", 'null', \"\", '~']"), R"(["12","true","null","","~"])");
}

TEST(Yaml, ReadsJson) {
  EXPECT_EQ(json_of("{\"a\":\t[1,\n\t2],\"b\":\"\\ud83d\\ude00\\/\"}"),
            "{\"a\":[1,2],\"b\":\"\xF0\x9F\x98\x80/\"}");
}

TEST(Yaml, TakesAnEmptyTextForNull) {
  EXPECT_EQ(json_of(""), "null");
  EXPECT_EQ(json_of("# nothing\n"), "null");
}

TEST(Yaml, RefusesAnchorsAliasesTagsAndMergeKeys) {
  EXPECT_EQ(yaml_fault("a: &x 1"), "MALFORMED_YAML at line 1, column 4");
  EXPECT_EQ(yaml_fault("a: &x [1]"), "MALFORMED_YAML at line 1, column 4");
  EXPECT_EQ(yaml_fault("a: &x {b: 1}"), "MALFORMED_YAML at line 1, column 4");
  EXPECT_EQ(yaml_fault("&k a: 1"), "MALFORMED_YAML at line 1, column 1");
  EXPECT_EQ(yaml_fault("a: &x"), "MALFORMED_YAML at line 1, column 4");
  EXPECT_EQ(yaml_reason("a: *x"), "MALFORMED_YAML");
  EXPECT_EQ(yaml_fault("a: !!str 1"), "MALFORMED_YAML at line 1, column 4");
  EXPECT_EQ(yaml_fault("a: !!python/object:os.system x"), "MALFORMED_YAML at line 1, column 4");
  EXPECT_EQ(yaml_fault("a: !x {b: 1}"), "MALFORMED_YAML at line 1, column 4");
  EXPECT_EQ(yaml_fault("a: !x [b]"), "MALFORMED_YAML at line 1, column 4");
  EXPECT_EQ(yaml_fault("a: !!map\n  b: 1"), "MALFORMED_YAML at line 1, column 4");
  EXPECT_EQ(yaml_fault("a:\n  <<: {b: 1}"), "MALFORMED_YAML at line 2, column 3");
}

TEST(Yaml, RefusesBombsOfAliasesAtTheFirstAnchor) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    const char before = static_cast<char>(c - 1);
    bomb += cat(c, ": &", c, " [");
    for (int i = 0; i < 9; ++i) bomb += cat(i > 0 ? ", *" : "*", before);
    bomb += "]\n";
  }
  EXPECT_EQ(yaml_fault(bomb), "MALFORMED_YAML at line 1, column 4");
  EXPECT_EQ(yaml_fault("a: &a [*a]"), "MALFORMED_YAML at line 1, column 4");
}

TEST(Yaml, RefusesDuplicateKeysWithLineAndColumn) {
  EXPECT_EQ(yaml_fault("a: 1\nb: 2\na: 3\n"), "MALFORMED_YAML at line 3, column 1");
  EXPECT_EQ(yaml_fault("x:\n  - {k: 1, 'k': 2}"), "MALFORMED_YAML at line 2, column 12");
}

TEST(Yaml, RefusesKeysThatAreNotStrings) {
  EXPECT_EQ(yaml_fault("1: a"), "MALFORMED_YAML at line 1, column 1");
  EXPECT_EQ(yaml_reason("true: a"), "MALFORMED_YAML");
  EXPECT_EQ(yaml_reason("~: a"), "MALFORMED_YAML");
  EXPECT_EQ(yaml_reason(": a"), "MALFORMED_YAML");
  EXPECT_EQ(yaml_reason("[a]: b"), "MALFORMED_YAML");
  EXPECT_EQ(yaml_reason("? {a: 1}\n: b"), "MALFORMED_YAML");
  EXPECT_EQ(json_of("'1': a"), R"({"1":"a"})");
}

TEST(Yaml, RefusesASecondDocument) {
  EXPECT_EQ(yaml_fault("a: 1\n---\nb: 2\n"), "MALFORMED_YAML at line 2, column 1");
  EXPECT_EQ(yaml_reason("a: 1\n---\n"), "MALFORMED_YAML");
  EXPECT_EQ(json_of("---\na: 1\n"), R"({"a":1})");
  EXPECT_EQ(json_of("a: 1\n...\n"), R"({"a":1})");
}

TEST(Yaml, ReadsSeveralDocumentsWhereTheyAreAllowed) {
  const auto all = [](std::string_view text) {
    const auto documents = parse_yaml_documents(text, 3);
    if (!documents.ok()) return where(documents.error());
    std::string out;
    for (const Value& each : *documents) out += to_json(each) + ";";
    return out;
  };
  EXPECT_EQ(all("a: 1\n---\n- b\n---\n"), R"({"a":1};["b"];null;)");
  EXPECT_EQ(all("# nothing\n"), "");
  EXPECT_EQ(all(R"({"a":{"b":1}})"), R"({"a":{"b":1}};)");
  EXPECT_EQ(all("1\n---\n2\n---\n3\n---\n4\n"), "MALFORMED_YAML at line 6, column 1");
  EXPECT_EQ(all("a: 1\n---\nb: *x\n"), "MALFORMED_YAML at line 3, column 4");
}

TEST(Yaml, RefusesBytesThatAreNoText) {
  EXPECT_EQ(yaml_fault("a: \xFF"), "MALFORMED_YAML at byte 3");
  EXPECT_EQ(yaml_fault(std::string_view("a: 1\0b", 6)), "MALFORMED_YAML at byte 4");
  EXPECT_EQ(yaml_fault("a: 1\x04 garbage: ["),
            "MALFORMED_YAML at byte 4");  // yaml-cpp's end of file
  EXPECT_EQ(yaml_reason("\xFF\xFE"
                        "a\n"),
            "MALFORMED_YAML");
  EXPECT_EQ(yaml_fault("\"\\xff\""), "accepted as \"\xC3\xBF\"");
  EXPECT_EQ(yaml_reason("- \"\\ud800\""), "MALFORMED_YAML");
  EXPECT_EQ(yaml_reason("- \"\\UFFFFFFFF\""), "MALFORMED_YAML");
}

TEST(Yaml, RefusesNumbersThatJsonCannotHold) {
  for (const char* text :
       {"[9223372036854775808]", "a: -9223372036854775809", "a: 0xFFFFFFFFFFFFFFFFF",
        "a: 0o7777777777777777777777", "a: 1e400", "a: .inf", "a: -.Inf", "a: .nan"}) {
    EXPECT_EQ(yaml_reason(text), "MALFORMED_YAML") << text;
  }
}

TEST(Yaml, RefusesDeepNestingBeforeItIsATree) {
  EXPECT_EQ(yaml_reason(std::string(1'000'000, '[')), "DOCUMENT_TOO_DEEP");
  EXPECT_EQ(yaml_reason(cat("a: ", std::string(100, '['), std::string(100, ']'))),
            "DOCUMENT_TOO_DEEP");
  std::string maps;
  for (size_t i = 0; i < 500; ++i) maps += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(yaml_reason(maps), "DOCUMENT_TOO_DEEP");
  std::string dashes;
  for (size_t i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_EQ(yaml_reason(dashes), "DOCUMENT_TOO_DEEP");
  std::string braces = "x: ";
  for (size_t i = 0; i < 100'000; ++i) braces += "{a: ";
  EXPECT_EQ(yaml_reason(braces), "DOCUMENT_TOO_DEEP");
}

TEST(Yaml, DecidesSizeAndCountLimits) {
  ParseLimits limits;
  limits.max_bytes = 20;
  limits.max_values = 4;
  EXPECT_EQ(yaml_reason("aaaaaaaaaaaaaaaaaaaaaaaa", limits), "DOCUMENT_TOO_LARGE");
  EXPECT_EQ(yaml_reason("- 1\n- 2\n- 3\n- 4\n", limits), "DOCUMENT_TOO_LARGE");
  EXPECT_TRUE(parse_yaml("- 1\n- 2\n- 3\n", limits).ok());
}

TEST(Yaml, NamesLineAndColumnOfASyntaxError) {
  EXPECT_EQ(yaml_fault("a: 1\nb: [1, 2\nc: 3\n").find("MALFORMED_YAML at line "), 0u);
  for (const char* text : {"a: b: c", "\"abc", "a: 'x", "{a: 1", "- a\nb: 1", "a: |x\n  y", "@a",
                           "`a", "\ta: 1", "%YAML 3.0\n---\na", "a: 1\n b: 2"}) {
    EXPECT_EQ(yaml_reason(text), "MALFORMED_YAML") << text;
  }
}

TEST(Yaml, WritesBlockStyleAsKubectlDoes) {
  const Value value = Value::Object{
      {"kind", "Run"},
      {"spec", Value::Object{{"command", Value::Array{"python3", "-c", "print(1)"}},
                             {"empty", Value::Array{}},
                             {"none", nullptr}}},
      {"list",
       Value::Array{Value::Object{{"a", 1}, {"b", 2.0}}, Value::Array{"x", Value::Array{}}}},
      {"memory", "8Gi"},
      {"count", "12"}};
  EXPECT_EQ(to_yaml(value),
            "kind: Run\n"
            "spec:\n"
            "  command:\n"
            "  - python3\n"
            "  - -c\n"
            "  - print(1)\n"
            "  empty: []\n"
            "  none: null\n"
            "list:\n"
            "- a: 1\n"
            "  b: 2.0\n"
            "- - x\n"
            "  - []\n"
            "memory: 8Gi\n"
            "count: \"12\"\n");
}

TEST(Yaml, QuotesWhatWouldBeReadAsSomethingElse) {
  for (const char* text : {"",     "~",     "null",  "Yes", "no",
                           "ON",   "y",     "12",    "-1",  "1e3",
                           "0x1f", "1_000", "12:30", ".5",  "2026-01-02T03:04:05Z",
                           "a: b", "a:",    " a",    "a ",  "- a",
                           "# a",  "a #b",  "*a",    "&a",  "!a",
                           "<<",   "---",   "{}",    "[]",  "a\nb",
                           "%a",   "@a",    "=",     "'"}) {
    EXPECT_TRUE(to_yaml(Value(text)).starts_with('"')) << text;
  }
  for (const char* text : {"a", "8Gi", "30m", "/workspace/a b", "https://127.0.0.1:8080/x",
                           "--name", "-c", "python3 -c x"}) {
    EXPECT_EQ(to_yaml(Value(text)), cat(text, "\n"));
  }
}

TEST(Yaml, ReadsBackWhateverItWrites) {
  SeededRandom random(20261121);
  for (int round = 0; round < 5000; ++round) {
    const Value value = internal::random_value(random);
    const std::string text = to_yaml(value);
    const auto parsed = parse_yaml(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().describe() << "\n" << text;
    ASSERT_EQ(*parsed, value) << text << "\nread as\n"
                              << to_json(*parsed) << "\nnot\n"
                              << to_json(value);
  }
}

}  // namespace
}  // namespace paddock::wire
