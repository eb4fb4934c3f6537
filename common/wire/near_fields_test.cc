#include "common/wire/near_fields.h"

#include <gtest/gtest.h>

#include "common/wire/describe.h"
#include "common/wire/yaml.h"

namespace paddock::wire {
namespace {

struct Limits {
  int64_t memory = 0;
  int64_t wall_time = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(field("memory", &Limits::memory, "bytes"),
                 field("wallTime", &Limits::wall_time, "seconds"));
  }
};
struct Sandbox {
  Limits limits;
  std::map<std::string, std::string> env;
  std::vector<Limits> earlier;
  static constexpr auto describe(auto&& visit) {
    return visit(field("limits", &Sandbox::limits, ""), field("env", &Sandbox::env, ""),
                 field("earlier", &Sandbox::earlier, ""));
  }
};
struct Only {
  std::vector<std::string> dirs;
  static constexpr auto describe(auto&& visit) { return visit(field("dirs", &Only::dirs, "")); }
};
struct Spec {
  std::string command;
  Sandbox sandbox;
  Limits resources;
  Only artifacts;
  static constexpr auto describe(auto&& visit) {
    return visit(field("command", &Spec::command, ""), field("sandbox", &Spec::sandbox, ""),
                 field("resources", &Spec::resources, ""),
                 field("artifacts", &Spec::artifacts, ""));
  }
};
struct Document {
  Spec spec;
  Limits status;
  std::map<std::string, Sandbox> by_name;
  Value free;
  static constexpr auto describe(auto&& visit) {
    return visit(field("spec", &Document::spec, ""), field("status", &Document::status, ""),
                 field("byName", &Document::by_name, ""), field("free", &Document::free, ""));
  }
};

std::string told(const char* yaml) {
  const auto document = decode<Document>(*parse_yaml(yaml));
  return document.ok() ? "" : with_near_fields(document.error(), schema<Document>).message;
}

TEST(NearFields, AFieldBesideIsNamedByItself) {
  EXPECT_EQ(told("spec: {comand: x}"), "spec.comand: unknown field; did you mean `command`?");
  EXPECT_EQ(told("spec: {sandbox: {limits: {wall_time: 1}}}"),
            "spec.sandbox.limits.wall_time: unknown field; did you mean `wallTime`?");
  EXPECT_EQ(told("spec: {COMMAND: x}"), "spec.COMMAND: unknown field; did you mean `command`?");
}

TEST(NearFields, OneThatIsElsewhereIsNamedByItsPath) {
  EXPECT_EQ(told("spec: {env: {A: b}}"),
            "spec.env: unknown field; did you mean `spec.sandbox.env`?");
  EXPECT_EQ(told("command: x"), "command: unknown field; did you mean `spec.command`?");
  EXPECT_EQ(told("spec: {memory: 1}"),
            "spec.memory: unknown field; did you mean `spec.sandbox.limits.memory` or "
            "`spec.resources.memory`?");
}

TEST(NearFields, WhereThereIsOneFieldThatIsNamed) {
  EXPECT_EQ(told("spec: {artifacts: {paths: [out]}}"),
            "spec.artifacts.paths: unknown field; the only field there is `dirs`");
  EXPECT_EQ(told("spec: {artifacts: {dir: [out]}}"),
            "spec.artifacts.dir: unknown field; did you mean `dirs`?");
  EXPECT_EQ(told("spec: {artifacts: {command: x}}"),
            "spec.artifacts.command: unknown field; did you mean `spec.command`?");
}

TEST(NearFields, ItemsOfListsAndMapsAreLookedInto) {
  EXPECT_EQ(told("spec: {sandbox: {earlier: [{}, {memry: 1}]}}"),
            "spec.sandbox.earlier[1].memry: unknown field; did you mean `memory`?");
  EXPECT_EQ(told("byName: {a: {envs: {}}}"), "byName.a.envs: unknown field; did you mean `env`?");
}

TEST(NearFields, WhatIsNearNothingHasNoHint) {
  for (const char* key : {"zebra", "a.b", "free[1", "spec[0]", "x[", "x[1", "[0]", "", "]", "."}) {
    const Value document = Value::Object{{key, 1}};
    const Error error = decode<Document>(document).error();
    EXPECT_EQ(with_near_fields(error, schema<Document>).message, error.message) << key;
  }
}

TEST(NearFields, EachOfSeveralFaultsHasItsOwn) {
  const Error error = with_near_fields(
      decode<Document>(*parse_yaml("spec: {comand: x, sandbox: 1}\nstatu: {}")).error(),
      schema<Document>);
  EXPECT_EQ(error.message, "statu: unknown field; did you mean `status`? (and 2 more)");
  EXPECT_EQ(error.causes[1].message, "unknown field; did you mean `command`?");
  EXPECT_EQ(error.causes[2].message, "expected object, got integer");
  EXPECT_EQ(error.reason, "INVALID_FIELD");
}

}  // namespace
}  // namespace paddock::wire
