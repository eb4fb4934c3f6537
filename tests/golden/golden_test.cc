// The fixtures of tests/golden/contracts/<Type>/<case>.{json,yaml}: each is decoded and encoded
// again and must come out byte for byte, in both formats. A changed fixture is a changed contract.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "common/contracts/audit.h"
#include "common/contracts/grant.h"
#include "common/contracts/launch.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/secret.h"
#include "common/contracts/status.h"
#include "common/contracts/sync.h"
#include "common/contracts/tool_token.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"
#include "common/wire/json.h"
#include "common/wire/yaml.h"

namespace paddock::contracts {
namespace {

namespace fs = std::filesystem;
using wire::Value;

bool accepting() { return std::getenv("PADDOCK_ACCEPT_GOLDEN") != nullptr; }

fs::path source_dir() {
  const char* given = std::getenv("PADDOCK_SOURCE_DIR");
  return given == nullptr ? fs::current_path() : fs::path(given);
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// One contract: how a document of it goes through our types, and its schema.
struct Contract {
  std::string name;
  Result<Value> (*round_trip)(const Value&);
  Value (*schema)();
};

template <class T>
Result<Value> through(const Value& value) {
  auto decoded = wire::decode<T>(value);
  if (!decoded) return std::move(decoded).error();
  return wire::encode(*decoded);
}

Result<Value> through_error(const Value& value) {
  const int64_t* http = value.find("code") == nullptr ? nullptr : value.find("code")->integer();
  if (http == nullptr) return invalid_argument("INVALID_FIELD", "a Status without a code");
  return status_body(error_from_body(static_cast<int>(*http), value));
}

void PrintTo(const Contract& contract, std::ostream* out) { *out << contract.name; }

std::vector<Contract> contracts() {
  return {{"Run", through<contracts::Run>, wire::schema<contracts::Run>},
          {"Workspace", through<Workspace>, wire::schema<Workspace>},
          {"Volume", through<Volume>, wire::schema<Volume>},
          {"Grant", through<contracts::Grant>, wire::schema<contracts::Grant>},
          {"ToolToken", through<contracts::ToolToken>, wire::schema<contracts::ToolToken>},
          {"Secret", through<contracts::Secret>, wire::schema<contracts::Secret>},
          {"Sandbox", through<contracts::Sandbox>, wire::schema<contracts::Sandbox>},
          {"Node", through<Node>, wire::schema<Node>},
          {"SandboxPolicy", through<SandboxPolicy>, wire::schema<SandboxPolicy>},
          {"SandboxResult", through<SandboxResult>, wire::schema<SandboxResult>},
          {"Tree", through<Tree>, wire::schema<Tree>},
          {"SyncRequest", through<SyncRequest>, wire::schema<SyncRequest>},
          {"SyncAnswer", through<SyncAnswer>, wire::schema<SyncAnswer>},
          {"LaunchRequest", through<LaunchRequest>, wire::schema<LaunchRequest>},
          {"AuditEvent", through<AuditEvent>, wire::schema<AuditEvent>},
          {"Status", through_error, [] { return Value(); }}};
}

class Golden : public testing::TestWithParam<Contract> {
 protected:
  fs::path folder() const { return source_dir() / "tests/golden/contracts" / GetParam().name; }
  // The names of the cases: every file without its extension.
  std::vector<std::string> cases() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder(), error)) {
      const std::string stem = entry.path().stem().string();
      if (std::ranges::find(names, stem) == names.end()) names.push_back(stem);
    }
    return names;
  }
};

TEST_P(Golden, FilesDecodeAndEncodeToTheSameBytes) {
  ASSERT_FALSE(cases().empty()) << "no fixtures in " << folder();
  for (const std::string& name : cases()) {
    SCOPED_TRACE(name);
    const fs::path json_file = folder() / (name + ".json");
    const fs::path yaml_file = folder() / (name + ".yaml");
    const auto json = wire::parse_json(read_text(json_file));
    ASSERT_TRUE(json.ok()) << json.error().describe();
    const auto encoded = GetParam().round_trip(*json);
    ASSERT_TRUE(encoded.ok()) << encoded.error().describe();
    if (accepting()) {
      write_text(json_file, wire::to_pretty_json(*encoded));
      write_text(yaml_file, wire::to_yaml(*encoded));
    }
    const auto yaml = wire::parse_yaml(read_text(yaml_file));
    ASSERT_TRUE(yaml.ok()) << yaml.error().describe();
    const auto from_yaml = GetParam().round_trip(*yaml);
    ASSERT_TRUE(from_yaml.ok()) << from_yaml.error().describe();
    EXPECT_EQ(read_text(json_file), wire::to_pretty_json(*encoded));
    EXPECT_EQ(read_text(yaml_file), wire::to_yaml(*from_yaml));
    EXPECT_EQ(*encoded, *from_yaml);
  }
}

// The fields that the schema names and the document lacks, each as a path.
void find_missing(const Value& schema, const Value& document, const std::string& path,
                  std::vector<std::string>& missing) {
  if (const Value* items = schema.find("items"); items != nullptr && document.array() != nullptr) {
    if (document.array()->empty()) return missing.push_back(path + "[]");
    return find_missing(*items, document.array()->front(), path + "[0]", missing);
  }
  const Value* properties = schema.find("properties");
  if (properties == nullptr || properties->object() == nullptr) return;
  for (const auto& [name, property] : *properties->object()) {
    const std::string here = path.empty() ? name : cat(path, ".", name);
    const Value* member = document.find(name);
    if (member == nullptr) {
      missing.push_back(here);
    } else {
      find_missing(property, *member, here, missing);
    }
  }
}

TEST_P(Golden, TheFullCaseNamesEveryFieldOfTheContract) {
  const auto full = wire::parse_json(read_text(folder() / "full.json"));
  ASSERT_TRUE(full.ok()) << full.error().describe();
  std::vector<std::string> missing;
  find_missing(GetParam().schema(), *full, "", missing);
  EXPECT_EQ(missing, std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Contracts, Golden, testing::ValuesIn(contracts()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace paddock::contracts
