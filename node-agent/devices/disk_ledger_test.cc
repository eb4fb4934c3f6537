#include "node-agent/devices/disk_ledger.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "node-agent/devices/probe.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::devices {
namespace {

constexpr int64_t kMi = int64_t{1} << 20;

void expect(const std::string& said, const std::string& wanted) {
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, wanted);
}

TEST(DiskLedger, GivesTheSameRoomToNoTwoAtATime) {
  const test::TempDir folder;
  expect(test::in_child([&folder]() -> std::string {
           if (!test::mount_disk(folder.path(), "8m")) return test::kNoMounts;
           int told = 0;
           DiskLedger disk(folder.path(), kMi, [&] { ++told; });
           auto first = disk.take("a", 5 * kMi, 1);
           if (!first) return first.error().describe();
           const auto second = disk.take("b", 5 * kMi, 1);
           std::string out = cat(second ? "both " : second.error().reason.text(), " ", told, " ");
           out += disk.take("a", 5 * kMi, 1) ? "shared " : "twice ";
           { const DiskLedger::Hold ended = std::move(*first); }
           out += disk.take("b", 5 * kMi, 1) ? "then " : "never ";
           out += disk.take("c", 8 * kMi, 1) ? "minFree" : "";
           return cat(out, disk.is_short() ? "short" : "", disk.held());
         }),
         "NODE_DISK_TOO_SMALL 1 shared then short0");
}

TEST(DiskLedger, CountsFilesWhereTheDiskDoes) {
  const test::TempDir folder;
  expect(test::in_child([&folder]() -> std::string {
           if (!test::mount_disk(folder.path(), "8m,nr_inodes=100")) return test::kNoMounts;
           DiskLedger disk(folder.path(), 0, [] {});
           return cat(disk.take("a", kMi, 50) ? "few " : "none ",
                      disk.take("b", kMi, 200) ? "many" : "");
         }),
         "few ");
}

}  // namespace
}  // namespace paddock::devices
