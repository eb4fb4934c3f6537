#include "controller/receipts/receipt_keys.h"

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

TEST(ReceiptKeys, WhatWasSignedBeforeARotationIsVerifiedAfterIt) {
  ReceiptKeys keys;
  const auto first = *keys.sign("first");
  const std::string before = keys.list()->items.front().key_id;
  ASSERT_TRUE(keys.rotate().ok());
  ASSERT_TRUE(keys.rotate().ok());
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
  ASSERT_TRUE(again.rotate().ok());
  const std::string text = *os::read_file(path, 1 << 16);
  EXPECT_EQ(text.find("PRIVATE KEY", text.find("-----END PRIVATE KEY") + 30), std::string::npos)
      << "a former private key was kept";
}

TEST(ReceiptKeys, ADamagedFileIsSaidAndNotReplaced) {
  const test::TempDir folder;
  const std::string path = folder / "receipt-keys.pem";
  ASSERT_TRUE(os::write_file_atomic(path, "no key", 0600).ok());
  ReceiptKeys keys(path);
  EXPECT_EQ(keys.sign("x").error().reason, "RECEIPT_KEY_DAMAGED");
  EXPECT_EQ(keys.rotate().error().reason, "RECEIPT_KEY_DAMAGED");
  EXPECT_EQ(*os::read_file(path, 100), "no key");
}

}  // namespace
}  // namespace paddock::receipts
