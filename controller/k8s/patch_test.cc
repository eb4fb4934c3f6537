#include "controller/k8s/patch.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::k8s {
namespace {

wire::Value parse(const std::string& text) { return wire::parse_json(text).value(); }

std::string merged(const std::string& document, const std::string& patch) {
  return wire::to_json(merge_patch(parse(document), parse(patch)));
}

// The examples of RFC 7386, appendix A.
TEST(MergePatch, IsWhatTheStandardSays) {
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"b":"c"})"), R"({"a":"b","b":"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":null})"), R"({})");
  EXPECT_EQ(merged(R"({"a":"b","b":"c"})", R"({"a":null})"), R"({"b":"c"})");
  EXPECT_EQ(merged(R"({"a":["b"]})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})"), R"({"a":{"b":"d"}})");
  EXPECT_EQ(merged(R"({"a":[{"b":"c"}]})", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(merged(R"(["a","b"])", R"(["c","d"])"), R"(["c","d"])");
  EXPECT_EQ(merged(R"({"e":null})", R"({"a":1})"), R"({"e":null,"a":1})");
  EXPECT_EQ(merged(R"([1,2])", R"({"a":"b","c":null})"), R"({"a":"b"})");
  EXPECT_EQ(merged(R"({})", R"({"a":{"bb":{"ccc":null}}})"), R"({"a":{"bb":{}}})");
}

TEST(MergePatch, TakesOddKeysAsTheyAre) {
  EXPECT_EQ(merged(R"({})", R"({"__proto__":{"x":1},"":2,"a.b":3})"),
            R"({"__proto__":{"x":1},"":2,"a.b":3})");
}

TEST(MergePatch, OfManyMembersIsNotQuadratic) {
  std::string patch = "{";
  for (int i = 0; i < 200'000; ++i) patch += cat(i == 0 ? "" : ",", "\"k", i, "\":1");
  const wire::Value members = parse(patch + "}");
  const wire::Value once = merge_patch(wire::Value::Object{}, members);
  EXPECT_EQ(merge_patch(once, members), once);
}

std::string patched(const std::string& document, const std::string& patch) {
  const auto result = json_patch(parse(document), parse(patch));
  return result.ok() ? wire::to_json(*result) : result.error().reason.str();
}

// Examples of RFC 6902, appendix A.
TEST(JsonPatch, IsWhatTheStandardSays) {
  EXPECT_EQ(patched(R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])"),
            R"({"foo":"bar","baz":"qux"})");
  EXPECT_EQ(patched(R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])"),
            R"({"foo":["bar","qux","baz"]})");
  EXPECT_EQ(patched(R"({"foo":["bar"]})", R"([{"op":"add","path":"/foo/-","value":["x"]}])"),
            R"({"foo":["bar",["x"]]})");
  EXPECT_EQ(patched(R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])"),
            R"({"foo":"bar"})");
  EXPECT_EQ(patched(R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])"),
            R"({"foo":["bar","baz"]})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":2}])"), R"({"a":2})");
  EXPECT_EQ(patched(R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
                    R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])"),
            R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})");
  EXPECT_EQ(patched(R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a/b","path":"/c"}])"),
            R"({"a":{"b":1},"c":1})");
  EXPECT_EQ(patched(R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10},
            {"op":"test","path":"/~1","value":9}])"),
            R"({"/":9,"~1":10})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])"), R"({"b":2})");
}

TEST(JsonPatch, RefusesWhatDoesNotFit) {
  const std::string document = R"({"a":[1,2],"b":{"c":1},"s":"text"})";
  for (const char* missing :
       {R"([{"op":"remove","path":"/x"}])", R"([{"op":"replace","path":"/a/2","value":1}])",
        R"([{"op":"add","path":"/a/3","value":1}])", R"([{"op":"add","path":"/a/01","value":1}])",
        R"([{"op":"add","path":"/a/+1","value":1}])", R"([{"op":"add","path":"/a/-1","value":1}])",
        R"([{"op":"remove","path":"/a/-"}])", R"([{"op":"add","path":"/x/y","value":1}])",
        R"([{"op":"add","path":"/s/0","value":1}])", R"([{"op":"test","path":"/x","value":null}])",
        R"([{"op":"copy","from":"/__proto__","path":"/y"}])"})
    EXPECT_EQ(patched(document, missing), "PATCH_PATH_MISSING") << missing;
  EXPECT_EQ(patched(document, R"([{"op":"test","path":"/b/c","value":2}])"), "PATCH_TEST_FAILED");
  for (const char* bad :
       {R"({})", R"([1])", R"([{"op":"add","path":"/x"}])",
        R"([{"op":"eval","path":"/x","value":1}])", R"([{"op":"add","path":"x","value":1}])",
        R"([{"op":"add","path":7,"value":1}])", R"([{"op":"add","path":"/~2","value":1}])",
        R"([{"op":"add","path":"/a~","value":1}])", R"([{"op":"remove","path":""}])",
        R"([{"op":"move","from":"/b","path":"/b/d"}])", R"([{"op":"copy","path":"/b"}])"})
    EXPECT_EQ(patched(document, bad), "PATCH_INVALID") << bad;
  const auto named = json_patch(parse(document), parse(R"([{"op":"test","path":"/s","value":"text"},
      {"op":"remove","path":"/x"}])"));
  EXPECT_EQ(named.error().causes.at(0).field, "[1]");
}

TEST(JsonPatch, CannotBeMadeToCostMuch) {
  // Doubling by copies.
  std::string copies = R"([{"op":"add","path":"/a","value":[0]})";
  for (int i = 0; i < 60; ++i) copies += R"(,{"op":"copy","from":"/a","path":"/a/-"})";
  EXPECT_EQ(patched("{}", copies + "]"), "PATCH_TOO_COSTLY");
  // Deepening by copies.
  std::string deeper = R"([{"op":"add","path":"/a","value":{}})";
  std::string path = "/a";
  for (int i = 0; i < 7; ++i) {
    deeper += cat(R"(,{"op":"copy","from":"/a","path":")", path, "/a\"}");
    path += path;
  }
  EXPECT_NE(patched("{}", deeper + "]").find("PATCH_"), std::string::npos);
  // A large list shifted again and again.
  std::string shifts = R"([{"op":"add","path":"/a","value":[0)";
  for (int i = 0; i < 50'000; ++i) shifts += ",0";
  shifts += "]}";
  for (int i = 0; i < 5'000; ++i) shifts += R"(,{"op":"add","path":"/a/0","value":1})";
  EXPECT_EQ(patched("{}", shifts + "]"), "PATCH_TOO_COSTLY");
  // A long text copied again and again.
  std::string texts =
      cat(R"([{"op":"add","path":"/a","value":[")", std::string(1 << 20, 'x'), "\"]}");
  for (int i = 0; i < 200; ++i) texts += R"(,{"op":"copy","from":"/a/0","path":"/a/-"})";
  EXPECT_EQ(patched("{}", texts + "]"), "PATCH_TOO_COSTLY");
  std::string many = "[";
  for (size_t i = 0; i <= kMostPatchOperations; ++i)
    many += cat(i == 0 ? "" : ",", R"({"op":"test","path":"","value":{}})");
  EXPECT_EQ(patched("{}", many + "]"), "PATCH_INVALID");
  std::string deep;
  for (size_t i = 0; i <= kDeepestPatch; ++i) deep += "/a";
  EXPECT_EQ(patched("{}", cat(R"([{"op":"add","path":")", deep, R"(","value":1}])")),
            "PATCH_INVALID");
}

}  // namespace
}  // namespace paddock::k8s
