// What the store keeps of its disk: how much, that nobody else gets it, and what it is good for.
#include "controller/store/sqlite/disk_reserve.h"

#include <sys/stat.h>

#include <filesystem>

#include "common/os/file.h"
#include "controller/store/store_faults_test_support.h"

namespace paddock::store {
namespace {

constexpr int64_t kMi = 1 << 20;

TEST(ReserveParts, AreASixtyFourthOfASmallDiskAndNothingOfATinyOne) {
  const auto all = [](int64_t asked, int64_t disk) {
    const auto parts = sqlite::reserve_parts(asked, disk);
    return (parts.log + parts.database) / kMi;
  };
  EXPECT_EQ(all(64 * kMi, 100'000 * kMi), 64);
  EXPECT_EQ(all(64 * kMi, 1024 * kMi), 16);
  EXPECT_EQ(all(64 * kMi, 256 * kMi), 4);
  EXPECT_EQ(all(64 * kMi, 255 * kMi), 0);
  EXPECT_EQ(all(0, 100'000 * kMi), 0);
  const auto large = sqlite::reserve_parts(1000 * kMi, 1'000'000 * kMi);
  EXPECT_EQ(large.log, 64 * kMi) << "more of a log is cut off";
  EXPECT_EQ(large.database, 936 * kMi);
  EXPECT_LE(sqlite::reserve_parts(4 * kMi, 256 * kMi).copied_at_pages, 256);
}

TEST(DatabaseRoom, IsWhatTheDatabaseMayYetWriteWithoutAskingTheDisk) {
  EXPECT_EQ((sqlite::DatabaseRoom{100, 60, 0}).ahead(), 40);
  EXPECT_EQ((sqlite::DatabaseRoom{100, 120, 30}).ahead(), 10) << "its log is not copied yet";
}

class FullReserve : public StoreFaults {
 protected:
  std::unique_ptr<Store> open(int64_t reserve = 4 * kMi) {
    StoreOptions options{path_};
    options.reserve = reserve;
    auto opened = Store::open(options);
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  // All that others can get.
  void fill_disk() {
    const int fd = ::open(folder_.file("rest").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string piece(64 << 10, 'f');
    while (::write(fd, piece.data(), piece.size()) > 0) {
    }
    while (::write(fd, piece.data(), 4096) > 0) {
    }
    ::close(fd);
  }
  void free_disk() { std::filesystem::remove(folder_.file("rest")); }
};

Status erase(Store& store, const std::string& name, Frees what = Frees::kSpace) {
  return store.write_freeing(
      [&](WriteTxn& txn) {
        return txn.erase<contracts::Run>({"default", name});
      },
      what);
}

// Until the first refusal.
int64_t put_freeing(Store& store, Frees what, size_t bytes) {
  int64_t done = 0;
  const auto put = [&](WriteTxn& txn) {
    return txn.put_setting(cat("end-", static_cast<int>(what), "-", done), std::string(bytes, 'x'));
  };
  while (done < 100'000 && store.write_freeing(put, what).ok()) ++done;
  return done;
}

TEST_F(FullReserve, IsForDeletionsAloneAndTakenBackOnceThereIsRoom) {
  expect(in_child([this]() -> std::string {
    if (!mount_disk(folder_.file(""), "256m")) return kNoMounts;
    auto store = open();
    for (int i = 0; i < 300; ++i) {
      if (!add(*store, cat("r-", i), 20'000).ok()) return "no room at first";
    }
    fill_disk();
    int64_t filled = 0;
    Status refused;
    while (filled < 100'000 && refused.ok()) refused = add(*store, cat("more-", filled++), 20'000);
    if (reason_of(refused) != "STORE_FULL") return reason_of(refused);
    if (refused.error().message.find("paddock delete") == std::string::npos)
      return "names no way out";
    if (reason_of(add(*store, "small")) != "STORE_FULL") return "a small change uses the reserve";
    if (reason_of(store->check_writable()) != "STORE_FULL") return "counts as writable";
    for (int i = 0; i < 300; ++i) {
      if (const Status gone = erase(*store, cat("r-", i)); !gone.ok())
        return cat("deletion ", i, ": ", gone.error().describe());
    }
    // Six mebibytes that are free within the file are no less than any of the disk.
    if (const Status again = store->check_writable(); !again.ok())
      return cat("is not writable after deletions: ", again.error().describe());
    if (!add(*store, "z-after", 1000).ok()) return "does not go on";
    const std::string before = stored(*store);
    store = nullptr;
    store = open();
    return stored(*store) == before ? "" : "not what was acknowledged";
  }));
}

TEST_F(FullReserve, EndsOfRunsLeaveHalfOfItToDeletionsAndItsEndIsAnErrorAndNoMore) {
  expect(in_child([this]() -> std::string {
    if (!mount_disk(folder_.file(""), "256m")) return kNoMounts;
    auto store = open();
    if (!add(*store, "kept").ok() || !add(*store, "gone").ok()) return "no room at first";
    fill_disk();
    for (int i = 0; add(*store, cat("fill-", i), 20'000).ok(); ++i) {
    }
    const int64_t ends = put_freeing(*store, Frees::kRuns, 10'000);
    if (ends < 20) return cat("hardly any end of a run: ", ends);
    if (!erase(*store, "gone").ok()) return "the ends of runs used up what deletions need";
    const int64_t rest = put_freeing(*store, Frees::kSpace, 10'000);
    if (rest < 20 || rest >= 100'000) return cat("what was left to deletions: ", rest);
    if (stored(*store).find("kept\n") == std::string::npos) return "something was lost";
    free_disk();
    if (!store->check_writable().ok()) return "does not know that there is room";
    return reason_of(add(*store, "z-after"));
  }));
}

TEST_F(FullReserve, IsThereAfterARestartOnTheFullDisk) {
  expect(in_child([this]() -> std::string {
    if (!mount_disk(folder_.file(""), "256m")) return kNoMounts;
    auto store = open();
    for (int i = 0; i < 100; ++i) {
      if (!add(*store, cat("r-", i), 20'000).ok()) return "no room at first";
    }
    const std::string spare = folder_.file("spare");  // os::make_room_to_start
    if (!os::write_file_atomic(spare, std::string(kMi, '0')).ok()) return "no spare room";
    fill_disk();
    for (int i = 0; add(*store, cat("fill-", i), 20'000).ok(); ++i) {
    }
    store = nullptr;
    fill_disk();
    std::filesystem::remove(spare);
    store = open();
    if (!store) return "does not open on a full disk";
    fill_disk();
    for (int i = 0; add(*store, cat("more-", i), 20'000).ok(); ++i) {
    }
    for (int i = 0; i < 100; ++i) {
      if (const Status gone = erase(*store, cat("r-", i)); !gone.ok())
        return cat("deletion ", i, ": ", gone.error().describe());
    }
    return "";
  }));
}

TEST_F(FullReserve, KeepsTheSizesOfItsFiles) {
  auto store = open();
  ASSERT_NE(store, nullptr);
  struct stat info = {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_LT(info.st_size, kMi);
  ASSERT_EQ(::stat((path_ + "-wal").c_str(), &info), 0);
  EXPECT_LT(info.st_size, kMi);
}

}  // namespace
}  // namespace paddock::store
