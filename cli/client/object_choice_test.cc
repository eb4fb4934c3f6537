#include "cli/client/object_choice.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

std::string chosen(const std::string& kind, const std::vector<std::string>& names) {
  Parsed parsed{"get", {{"KIND", {kind}}}};
  if (!names.empty()) parsed.values["NAME"] = names;
  const auto choices = object_choices(parsed);
  if (!choices.ok()) return choices.error().reason.str();
  std::string out;
  for (const ObjectChoice& each : *choices)
    out += cat(info(each.kind).singular, "/", each.name, " ");
  return out;
}

TEST(ObjectChoices, AreNamedByAKindOrEachByItsOwn) {
  EXPECT_EQ(chosen("runs", {}), "run/ ");
  EXPECT_EQ(chosen("run/a", {}), "run/a ");
  EXPECT_EQ(chosen("run", {"run"}), "run/run ");
  EXPECT_EQ(chosen("run", {"a", "b", "a"}), "run/a run/b ");
  EXPECT_EQ(chosen("run/a", {"runs/b", "node/c", "run.paddock.dev/a"}), "run/a run/b node/c ");
  EXPECT_EQ(chosen("runs", {"run/a", "b"}), "run/a run/b ");
}

// A variable that is not set must not stand for all objects of the kind.
TEST(ObjectChoices, AnEmptyNameIsRefused) {
  EXPECT_EQ(chosen("run", {""}), "USAGE");
  EXPECT_EQ(chosen("run", {"", "a"}), "USAGE");
  EXPECT_EQ(chosen("run", {"a", ""}), "USAGE");
  EXPECT_EQ(chosen("run", {"run/"}), "USAGE");
  EXPECT_EQ(chosen("run/", {"run/a"}), "USAGE");
  EXPECT_EQ(chosen("run/a", {"run/"}), "USAGE");
  EXPECT_EQ(chosen("run/", {}), "run/ ") << "as kubectl has it";
}

TEST(ObjectChoices, WordsThatDoNotGoTogetherAreRefused) {
  EXPECT_EQ(chosen("run/a", {"b"}), "USAGE");
  EXPECT_EQ(chosen("run", {"node/a"}), "USAGE");
  EXPECT_EQ(chosen("run/a", {"rum/b"}), "UNKNOWN_KIND");
}

}  // namespace
}  // namespace paddock::cli
