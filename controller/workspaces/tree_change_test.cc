#include "controller/workspaces/tree_change.h"

#include <gtest/gtest.h>

#include "common/contracts/audit.h"

namespace paddock::workspaces {
namespace {

using contracts::Tree;

contracts::TreeEntry file(const std::string& path, char content, bool executable = false) {
  return {path, std::string(64, content), 1, executable};
}

TEST(TreeChange, IsWhatIsNewOrOtherAndWhatIsGone) {
  const Tree before{{file("a", 'a'), file("b", 'a'), file("c", 'a'), file("d", 'a')},
                    {{"l", "a"}, {"m", "a"}},
                    {{"empty"}, {"full"}}};
  const Tree after{{file("a", 'a'), file("b", 'b'), file("c", 'a', true), file("full/x", 'a')},
                   {{"d", "a"}, {"l", "b"}, {"m", "a"}},
                   {{"empty"}}};
  EXPECT_EQ(change_of(before, after), (TreeChange{{"b", "c", "d", "full/x", "l"}, {"full/"}}));
  EXPECT_EQ(change_of(before, before), TreeChange{});
  EXPECT_EQ(change_of({}, before).written.size(), 8U);
  EXPECT_EQ(change_of(before, {}).removed.size(), 8U);
}

TEST(TreeChange, IsToldInAsManyWholePathsAsADetailHolds) {
  TreeChange change;
  change.removed = {"a\"b", std::string(1010, 'x'), std::string(2000, 'y'), "z"};
  const auto details = details_of(change);
  EXPECT_EQ(details.at("written"), "0");
  EXPECT_FALSE(details.contains("writtenPaths"));
  EXPECT_EQ(details.at("removed"), "4");
  EXPECT_EQ(details.at("removedPaths"), "[\"a\\\"b\",\"" + std::string(1010, 'x') + "\"]");
  EXPECT_LE(details.at("removedPaths").size(), contracts::kAuditText);
}

}  // namespace
}  // namespace paddock::workspaces
