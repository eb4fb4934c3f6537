// A program's settings as a golden file: a changed file is a changed interface for operators.
// scripts/generate makes docs/settings.md of it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "common/wire/settings.h"

namespace paddock::test {

inline void add_settings(const wire::Value& schema, const wire::Value& defaults,
                         const std::map<std::string, std::string>& variable_of,
                         const std::string& path, wire::Value::Array& out) {
  const wire::Value* properties = schema.find("properties");
  if (properties == nullptr) {
    const wire::Value* unless_given = defaults.at(path);
    out.push_back(
        wire::Value::Object{{"key", path},
                            {"variable", variable_of.at(path)},
                            {"default", unless_given == nullptr ? wire::Value() : *unless_given},
                            {"schema", schema}});
    return;
  }
  for (const auto& [key, child] : *properties->object())
    add_settings(child, defaults, variable_of, path.empty() ? key : cat(path, ".", key), out);
}

inline void expect_golden_settings(const std::string& program,
                                   const std::map<std::string, std::string>& variables,
                                   const wire::Value& schema, const wire::Value& defaults) {
  std::map<std::string, std::string> variable_of;
  for (const auto& [variable, path] : variables) variable_of[path] = variable;
  wire::Value::Array settings;
  add_settings(schema, defaults, variable_of, "", settings);
  const std::string text = wire::to_pretty_json(settings);
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  const std::string file =
      cat(source == nullptr ? "." : source, "/tests/golden/settings/", program, ".json");
  if (std::getenv("PADDOCK_ACCEPT_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::ifstream golden(file);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(golden), {}))
      << "accept with PADDOCK_ACCEPT_GOLDEN=1, then run scripts/generate";
}

}  // namespace paddock::test
