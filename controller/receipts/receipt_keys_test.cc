#include "controller/receipts/receipt_keys.h"

#include <signal.h>
#include <sys/stat.h>

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
  return {[file](const std::string& key_id) { return os::write_file_atomic(file, key_id); },
          [file](const std::string& key_id) -> Result<bool> {
            const auto newest = os::read_file(file);
            return newest.ok() && *newest == key_id;
          }};
}
const RotationLog kMemory{[](const std::string&) { return Status(); },
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
  void rotate_until(const std::function<void(const std::string&)>& record) {
    RotationLog log = log_in(record_);
    log.record = [&](const std::string& key_id) {
      record(key_id);
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
  rotate_until([](const std::string&) { ::raise(SIGKILL); });
  EXPECT_EQ(ids(), before_);
}

TEST_F(KilledRotation, AfterItsRecordIsWhole) {
  rotate_until([this](const std::string& key_id) {
    EXPECT_TRUE(log_in(record_).record(key_id).ok());
    ::raise(SIGKILL);
  });
  const auto after = ids();
  EXPECT_EQ(after, (std::vector{*os::read_file(record_), before_.front()}));
}

TEST_F(KilledRotation, IsSettledByTheNextOneToo) {
  EXPECT_EXIT((void)ReceiptKeys(path_).rotate({[](const std::string&) {
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
  log.record = [](const std::string&) { return Status(Error{Code::kUnavailable, "STORE_FULL"}); };
  EXPECT_EQ(keys.rotate(log).error().reason, "STORE_FULL");
  EXPECT_EQ(ids(), before_);
  EXPECT_FALSE(os::exists(next_));
  // One that says so and has it all the same, as where a commit's end is not known.
  log.record = [this](const std::string& key_id) -> Status {
    TRY(log_in(record_).record(key_id));
    return Error{Code::kUnavailable, "STORE_IO"};
  };
  EXPECT_FALSE(keys.rotate(log).ok());
  EXPECT_EQ(ids(), (std::vector{*os::read_file(record_), before_.front()}));
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
