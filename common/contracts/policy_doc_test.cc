// docs/policy.md against the contract: its fields, each profile's numbers, and the bounds.
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/contracts/profile.h"
#include "common/wire/yaml.h"

namespace paddock::contracts {
namespace {

std::string document() {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  const auto value = cat(source == nullptr ? "." : source, "/docs/policy.md");
  std::string out;
  if (FILE* file = std::fopen(value.c_str(), "r")) {
    char bytes[4096];
    for (size_t n = 0; (n = std::fread(bytes, 1, sizeof bytes, file)) > 0;) out.append(bytes, n);
    std::fclose(file);
  }
  return out;
}

using Cells = std::vector<std::string>;

// The rows below the heading that starts with `title`, without the table's own heading.
std::vector<Cells> table(const std::string& title) {
  std::vector<Cells> out;
  bool here = false;
  for (const std::string& line : split(document(), '\n')) {
    if (line.starts_with("## ")) here = line.starts_with(cat("## ", title));
    if (!here || !line.starts_with("| `")) continue;
    Cells cells;
    for (const std::string& cell : split(line, '|')) {
      std::string plain(trim(cell));
      std::erase(plain, '`');
      cells.push_back(std::move(plain));
    }
    out.emplace_back(cells.begin() + 1, cells.end() - 1);
  }
  return out;
}

template <class T>
Cells names_of_fields(const std::string& prefix) {
  Cells out;
  T::describe([&](const auto&... f) { (out.push_back(cat(prefix, f.name)), ...); });
  return out;
}

// Every leaf of the policy but the limits, in the order of the contract.
Cells other_fields() {
  Cells out;
  for (const std::string& name : names_of_fields<SandboxPolicy>("")) {
    Cells below;
    if (name == "limits") continue;
    if (name == "network") below = names_of_fields<NetworkPolicy>("network.");
    if (name == "hostMounts") below = names_of_fields<HostMount>("hostMounts.");
    if (below.empty()) below.push_back(name);
    out.insert(out.end(), below.begin(), below.end());
  }
  return out;
}

Cells first_cells(const std::vector<Cells>& rows) {
  Cells out;
  for (const Cells& row : rows) out.push_back(row.at(0));
  return out;
}

bool accepts(const std::string& field, const std::string& value) {
  const std::string name = field.substr(field.find('.') + 1);
  const auto document = wire::parse_yaml(cat("limits: {", name, ": ", value, "}"));
  return document.ok() && wire::decode<SandboxPolicy>(*document).ok();
}

std::string text_of(const wire::Value* value) {
  if (value == nullptr) return "–";
  return value->integer() != nullptr ? cat(*value->integer()) : *value->string();
}

TEST(PolicyDocument, HasEveryFieldOfThePolicyInItsOrder) {
  EXPECT_EQ(first_cells(table("Limits: the numbers")), names_of_fields<SandboxLimits>("limits."));
  EXPECT_EQ(first_cells(table("Limits: who")), names_of_fields<SandboxLimits>("limits."));
  EXPECT_EQ(first_cells(table("Everything else")), other_fields());
}

// proves: VLT-109
TEST(PolicyDocument, HasTheNumbersOfEachProfile) {
  const Cells profiles = {"command", "compute", "code", "test", "snippet", "session", "agent"};
  for (const Cells& row : table("Limits: the numbers")) {
    for (size_t i = 0; i < profiles.size(); ++i) {
      const wire::Value policy = wire::encode(*profile_policy(profiles[i]));
      EXPECT_EQ(row.at(2 + i), text_of(policy.at(row.at(0)))) << profiles[i] << " " << row.at(0);
    }
  }
}

TEST(PolicyDocument, HasTheBoundsThatAreChecked) {
  for (const Cells& row : table("Limits: the numbers")) {
    const std::string& least = row.at(9);
    const std::string& most = row.at(10);
    const size_t unit = least.find_first_not_of("0123456789");
    const auto number = parse_integer<int64_t>(least.substr(0, unit)).value_or(0);
    const std::string suffix = unit == std::string::npos ? "" : least.substr(unit);
    EXPECT_TRUE(accepts(row[0], least)) << row[0];
    EXPECT_FALSE(accepts(row[0], cat(number - 1, suffix))) << row[0];
    EXPECT_TRUE(accepts(row[0], most)) << row[0];
    EXPECT_FALSE(accepts(row[0], cat("1", most))) << row[0] << " accepts more than " << most;
  }
}

}  // namespace
}  // namespace paddock::contracts
