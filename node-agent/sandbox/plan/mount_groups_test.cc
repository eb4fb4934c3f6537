#include "node-agent/sandbox/plan/mount_groups.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

const std::vector<MountEntry> kCommon = {
    {Kind::kSystem, "/usr", "/usr"},           {Kind::kSymlink, "/bin", "usr/bin"},
    {Kind::kFile, "/etc/hosts", "127.0.0.1"},  {Kind::kSystem, "/etc/fonts", "/etc/fonts"},
    {Kind::kDevice, "/dev/null", "/dev/null"}, {Kind::kProc, "/proc", ""},
};

std::vector<MountEntry> with(std::vector<MountEntry> table, std::vector<MountEntry> more) {
  table.insert(table.end(), more.begin(), more.end());
  return table;
}

TEST(MountGroups, WhatARunAddsIsWhatIsLeftToDoForIt) {
  const std::vector<MountEntry> own = {{Kind::kScratch, "/tmp", ""},
                                       {Kind::kBind, "/workspace", "/srv/w", true}};
  EXPECT_EQ(beyond(with(kCommon, own), kCommon), own);
  EXPECT_EQ(beyond(kCommon, kCommon), std::vector<MountEntry>());
}

TEST(MountGroups, WhatWasMadeBeforeFitsNoRunThatChangesAPartOfIt) {
  for (const MountEntry& more : std::vector<MountEntry>{{Kind::kDevice, "/dev/nvidia0", ""},
                                                        {Kind::kFile, "/etc/resolv.conf", ""},
                                                        {Kind::kCover, "/usr/bin", ""},
                                                        {Kind::kSymlink, "/bin/sh", "dash"}})
    EXPECT_EQ(beyond(with(kCommon, {more}), kCommon), std::nullopt) << more.target;
  std::vector<MountEntry> other = kCommon;
  other[2].source = "127.0.0.2";
  EXPECT_EQ(beyond(other, kCommon), std::nullopt);
  other.erase(other.begin() + 2);
  EXPECT_EQ(beyond(other, kCommon), std::nullopt);
}

TEST(MountGroups, AScratchSpaceOfAnotherSizeIsAllThatMayDiffer) {
  const MountEntry small{Kind::kScratch, "/tmp", "", true, 1, 2};
  MountEntry large = small;
  large.bytes = 1000;
  const std::vector<MountEntry> common = with(kCommon, {small});
  EXPECT_EQ(beyond(with(kCommon, {small}), common), std::vector<MountEntry>());
  EXPECT_EQ(beyond(with(kCommon, {large, {Kind::kBind, "/x", "/x"}}), common),
            (std::vector<MountEntry>{large, {Kind::kBind, "/x", "/x"}}));
  large.no_programs = true;
  EXPECT_EQ(beyond(with(kCommon, {large}), common), std::nullopt);
}

TEST(MountGroups, SharesTheFoldersThatAreAlike) {
  EXPECT_EQ(same_folders(kCommon, kCommon), (std::vector<std::string>{"/usr", "/etc", "/dev"}));
  EXPECT_EQ(same_folders(with(kCommon, {{Kind::kDevice, "/dev/nvidia0", ""}}), kCommon),
            (std::vector<std::string>{"/usr", "/etc"}));
  EXPECT_EQ(same_folders({}, kCommon), std::vector<std::string>());
}

TEST(MountGroups, ANameThatOnlyBeginsLikeAFolderIsAnother) {
  const std::vector<MountEntry> own = {{Kind::kBind, "/etcetera/x", "/srv"}};
  EXPECT_EQ(beyond(with(kCommon, own), kCommon), own);
}

}  // namespace
}  // namespace paddock::sandbox
