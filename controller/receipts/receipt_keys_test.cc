#include "controller/receipts/receipt_keys.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "common/receipts/envelope.h"
#include "tests/support/temp_dir.h"

namespace paddock::receipts {
namespace {

std::vector<std::string> publics(ReceiptKeys& keys) {
  std::vector<std::string> out;
  const auto list = *keys.list();
  for (const auto& each : list.items) out.push_back(each.public_key);
  return out;
}

// One whose records are a file, as those of a store are.
RotationLog log_in(const std::string& file) {
  return {[file](const contracts::ReceiptKeyList& keys) {
            return os::write_file_atomic(file, keys.items.front().key_id);
          },
          [file](const std::string& key_id) -> Result<bool> {
            const auto newest = os::read_file(file);
            return newest.ok() && *newest == key_id;
          }};
}
const RotationLog kMemory{[](const contracts::ReceiptKeyList&) { return Status(); },
                          [](const std::string&) { return Result<bool>(false); }};

TEST(ReceiptKeys, WhatWasSignedBeforeARotationIsVerifiedAfterIt) {
  ReceiptKeys keys;
  const auto first = *keys.sign("first");
  const std::string before = keys.list()->items.front().key_id;
  ASSERT_TRUE(keys.rotate(kMemory).ok());
  ASSERT_TRUE(keys.rotate(kMemory).ok());
  const auto last = *keys.sign("last");
  EXPECT_EQ(keys.list()->items.size(), 3U);
  EXPECT_EQ(open_receipt(first, publics(keys))->key_id, before);
  EXPECT_EQ(open_receipt(last, publics(keys))->key_id, keys.list()->items.front().key_id);
  EXPECT_TRUE(keys.list()->items[0].current);
  EXPECT_FALSE(keys.list()->items[1].current);
}

// A folder that leads to itself (ELOOP) is one that root cannot look into either.
TEST(ReceiptKeys, ThatCannotBeLookedForAreNotMissing) {
  const test::TempDir folder;
  ASSERT_EQ(::symlink("loop", (folder / "loop").c_str()), 0);
  ReceiptKeys keys(folder / "loop/receipt-keys.pem");
  const KeyBook book{[] { return contracts::ReceiptKeyList(); },
                     [](const contracts::ReceiptKeyList&) { return Status(); }};
  EXPECT_FALSE(keys.publish(book).ok());
  EXPECT_FALSE(keys.settle(kMemory).ok());
}

TEST(ReceiptKeys, AreInOneFileThatOthersCannotRead) {
  const test::TempDir folder;
  const std::string path = folder / "receipt-keys.pem";
  const auto signed_one = *ReceiptKeys(path).sign("x");
  ReceiptKeys again(path);
  EXPECT_TRUE(open_receipt(signed_one, publics(again)).ok());
  struct stat found = {};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  ASSERT_TRUE(again.rotate(log_in(folder / "log")).ok());
  const std::string text = *os::read_file(path, 1 << 16);
  EXPECT_EQ(text.find("PRIVATE KEY", text.find("-----END PRIVATE KEY") + 30), std::string::npos)
      << "a former private key was kept";
}

// A new key signs if and only if it is recorded, wherever the process was killed.
class KilledRotation : public testing::Test {
 protected:
  KilledRotation() { before_ = ids(); }
  std::vector<std::string> ids() {
    std::vector<std::string> out;
    const auto list = *ReceiptKeys(path_).list();
    for (const auto& each : list.items) out.push_back(each.key_id);
    return out;
  }
  // `record` ends the process that rotates.
  void rotate_until(const std::function<void(const contracts::ReceiptKeyList&)>& record) {
    RotationLog log = log_in(record_);
    log.record = [&](const contracts::ReceiptKeyList& keys) {
      record(keys);
      return Status();
    };
    EXPECT_EXIT((void)ReceiptKeys(path_).rotate(log), testing::KilledBySignal(SIGKILL), "");
    EXPECT_EQ(ids(), before_) << "nothing but the record decides";
    EXPECT_TRUE(ReceiptKeys(path_).settle(log_in(record_)).ok());
    EXPECT_FALSE(os::exists(next_));
  }

  const test::TempDir folder_;
  const std::string path_ = folder_ / "receipt-keys.pem";
  const std::string next_ = folder_ / "next-receipt-keys.pem";
  const std::string record_ = folder_ / "log";
  std::vector<std::string> before_;
};

TEST_F(KilledRotation, BeforeItsRecordIsNone) {
  rotate_until([](const contracts::ReceiptKeyList&) { ::raise(SIGKILL); });
  EXPECT_EQ(ids(), before_);
}

TEST_F(KilledRotation, AfterItsRecordIsWhole) {
  rotate_until([this](const contracts::ReceiptKeyList& keys) {
    EXPECT_TRUE(log_in(record_).record(keys).ok());
    ::raise(SIGKILL);
  });
  const auto after = ids();
  EXPECT_EQ(after, (std::vector{*os::read_file(record_), before_.front()}));
}

TEST_F(KilledRotation, IsSettledByTheNextOneToo) {
  EXPECT_EXIT((void)ReceiptKeys(path_).rotate({[](const contracts::ReceiptKeyList&) {
                                                 ::raise(SIGKILL);
                                                 return Status();
                                               },
                                               log_in(record_).recorded}),
              testing::KilledBySignal(SIGKILL), "");
  ASSERT_TRUE(ReceiptKeys(path_).rotate(log_in(record_)).ok());
  EXPECT_EQ(ids(), (std::vector{*os::read_file(record_), before_.front()}));
}

TEST_F(KilledRotation, ThatTheStoreRefusedChangesNothing) {
  ReceiptKeys keys(path_);
  RotationLog log = log_in(record_);
  log.record = [](const contracts::ReceiptKeyList&) {
    return Status(Error{Code::kUnavailable, "STORE_FULL"});
  };
  EXPECT_EQ(keys.rotate(log).error().reason, "STORE_FULL");
  EXPECT_EQ(ids(), before_);
  EXPECT_FALSE(os::exists(next_));
  // One that says so and has it all the same, as where a commit's end is not known.
  log.record = [this](const contracts::ReceiptKeyList& now) -> Status {
    TRY(log_in(record_).record(now));
    return Error{Code::kUnavailable, "STORE_IO"};
  };
  EXPECT_FALSE(keys.rotate(log).ok());
  EXPECT_EQ(ids(), (std::vector{*os::read_file(record_), before_.front()}));
}

// Two controllers of one store, each with a file of its own.
class SharedBook : public testing::Test {
 protected:
  SharedBook() {
    book_.known = [this]() -> Result<contracts::ReceiptKeyList> { return kept_; };
    book_.add = [this](const contracts::ReceiptKeyList& own) {
      ++additions_;
      add_keys(kept_, own);
      return Status();
    };
    log_.record = [this](const contracts::ReceiptKeyList& own) {
      replace_keys(kept_, own);
      return Status();
    };
    log_.recorded = [](const std::string&) { return Result<bool>(false); };
  }
  std::vector<std::string> shown(ReceiptKeys& keys) {
    std::vector<std::string> out;
    const auto list = *keys.list(book_);
    for (const auto& each : list.items) out.push_back(each.public_key);
    EXPECT_TRUE(list.items.front().current);
    EXPECT_EQ(std::ranges::count(list.items, true, &contracts::ReceiptKey::current), 1);
    return out;
  }
  const test::TempDir folder_;
  contracts::ReceiptKeyList kept_;
  int additions_ = 0;
  KeyBook book_;
  RotationLog log_;
  ReceiptKeys one_{folder_ / "one.pem"};
  ReceiptKeys two_{folder_ / "two.pem"};
};

TEST_F(SharedBook, WhatOneSignedIsVerifiedByWhatTheOtherPublishes) {
  const auto by_one = *one_.sign("x", book_);
  const auto by_two = *two_.sign("y", book_);
  EXPECT_TRUE(open_receipt(by_one, shown(two_)).ok());
  EXPECT_TRUE(open_receipt(by_two, shown(one_)).ok());
  EXPECT_NE(shown(one_).front(), shown(two_).front()) << "that which signs comes first";
  EXPECT_EQ(additions_, 2) << "each once";
}

TEST_F(SharedBook, AKeyThatWasReplacedSignsAtNoOtherController) {
  ASSERT_TRUE(one_.sign("x", book_).ok());
  std::filesystem::copy(folder_ / "one.pem", folder_ / "two.pem");
  ASSERT_TRUE(one_.rotate(log_).ok());
  const auto newer = *one_.sign("y", book_);
  EXPECT_TRUE(open_receipt(newer, shown(two_)).ok()) << "and all of them publish the new one";
  EXPECT_EQ(shown(two_).size(), 2U);
  EXPECT_EQ(two_.sign("z", book_).error().reason, "STANDBY_FILES_DIFFER");
  EXPECT_EQ(two_.publish(book_).error().reason, "STANDBY_FILES_DIFFER");
  // What the error says to do: either of the two.
  std::filesystem::copy(folder_ / "one.pem", folder_ / "two.pem",
                        std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(two_.sign("z", book_).ok());
  ASSERT_TRUE(two_.rotate(log_).ok());
  EXPECT_TRUE(open_receipt(newer, shown(two_)).ok());
  EXPECT_EQ(one_.sign("z", book_).error().reason, "STANDBY_FILES_DIFFER");
  ASSERT_TRUE(one_.rotate(log_).ok());
  EXPECT_TRUE(one_.sign("z", book_).ok());
}

// As `secret rotate-key` has it: the new key is everywhere before anything is signed with it.
TEST_F(SharedBook, WhereOthersFollowAKeySignsOnceTheyCanHaveIt) {
  const auto old = *one_.sign("x", book_);
  const auto refused = one_.rotate(log_, "", true);
  ASSERT_EQ(refused.error().reason, "STANDBY_FILES_DIFFER");
  const std::string words = refused.error().message;
  const std::string next = words.substr(words.find("--to ") + 5, 64);
  EXPECT_EQ(one_.list(book_)->items.size(), 1U) << "nobody verifies by it yet";
  EXPECT_EQ(one_.sign("y", book_)->signatures[0].key_id, old.signatures[0].key_id);
  EXPECT_EQ(one_.rotate(log_, old.signatures[0].key_id, true).error().reason, "PARAMETER_INVALID");

  std::filesystem::copy(folder_ / "one.pem", folder_ / "two.pem");
  ASSERT_TRUE(one_.rotate(log_, next, true).ok());
  EXPECT_EQ(one_.sign("z", book_)->signatures[0].key_id, next);
  EXPECT_EQ(two_.sign("z", book_)->signatures[0].key_id, next) << "which had it";
  const std::string text = *os::read_file(folder_ / "two.pem", 1 << 16);
  EXPECT_EQ(text.find("PRIVATE KEY", text.find("-----END PRIVATE KEY") + 30), std::string::npos);
  EXPECT_TRUE(open_receipt(old, shown(two_)).ok());
}

TEST_F(SharedBook, AKeyThatWaitedAndWasNotNamedIsForgotten) {
  ASSERT_TRUE(one_.sign("x", book_).ok());
  std::string first = one_.rotate(log_, "", true).error().message;
  first = first.substr(first.find("--to ") + 5, 64);
  ASSERT_EQ(one_.rotate(log_, "", true).error().reason, "STANDBY_FILES_DIFFER");
  EXPECT_EQ(one_.rotate(log_, first, true).error().reason, "PARAMETER_INVALID");
  ASSERT_TRUE(one_.rotate(log_).ok()) << "nobody follows any more";
  EXPECT_NE(one_.sign("y", book_)->signatures[0].key_id, first);
}

TEST_F(SharedBook, ANewerFileInTheFolderThatAllShareIsTaken) {
  ASSERT_TRUE(one_.sign("x", book_).ok());
  std::filesystem::copy(folder_ / "one.pem", folder_ / "two.pem");
  ReceiptKeys two(folder_ / "two.pem", folder_ / "shared.pem");
  ASSERT_TRUE(one_.rotate(log_).ok());
  EXPECT_EQ(two.sign("z", book_).error().reason, "STANDBY_FILES_DIFFER");
  std::filesystem::copy(folder_ / "one.pem", folder_ / "shared.pem");
  EXPECT_EQ(two.sign("z", book_)->signatures[0].key_id,
            one_.sign("z", book_)->signatures[0].key_id);
  EXPECT_EQ(*os::read_file(folder_ / "two.pem", 1 << 16),
            *os::read_file(folder_ / "one.pem", 1 << 16));
}

TEST_F(SharedBook, TellsFormerKeysOfAFileToo) {
  ASSERT_TRUE(one_.rotate(kMemory).ok());
  ASSERT_TRUE(one_.publish(book_).ok());
  ASSERT_EQ(kept_.items.size(), 2U);
  EXPECT_TRUE(kept_.items.front().current);
  EXPECT_FALSE(kept_.items.back().current);
  ASSERT_TRUE(two_.publish(book_).ok());
  EXPECT_EQ(kept_.items.size(), 2U) << "it has no key yet, and makes none for this";
}

TEST(ReceiptKeys, ADamagedFileIsSaidAndNotReplaced) {
  const test::TempDir folder;
  const std::string path = folder / "receipt-keys.pem";
  ASSERT_TRUE(os::write_file_atomic(path, "no key", 0600).ok());
  ReceiptKeys keys(path);
  EXPECT_EQ(keys.sign("x").error().reason, "RECEIPT_KEY_DAMAGED");
  EXPECT_EQ(keys.rotate(kMemory).error().reason, "RECEIPT_KEY_DAMAGED");
  EXPECT_EQ(*os::read_file(path, 100), "no key");
}

}  // namespace
}  // namespace paddock::receipts
