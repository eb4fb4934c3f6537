// What the tests of the store have in common where its disk misbehaves.
#pragma once

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "controller/store/store_test_support.h"
#include "tests/support/small_disk.h"

namespace paddock::store {

using test::change_disk;
using test::in_child;
using test::kNoMounts;
using test::mount_disk;
using Names = std::set<std::string>;

inline std::string reason_of(const Status& status) {
  return status.ok() ? "" : status.error().reason.str();
}

inline std::string refusal(const std::string& path) {
  const auto opened = Store::open({path});
  return opened.ok() ? "opened" : opened.error().reason.str();
}

inline Status add(Store& store, const std::string& name, size_t bytes = 10) {
  return store.write([&](WriteTxn& txn) {
    contracts::Run run = make_run(name);
    run.spec.command.argv.push_back(std::string(bytes, 'x'));
    return txn.create(run);
  });
}

// "name\n" of every run, or why they cannot be read.
inline std::string stored(Store& store) {
  std::string out;
  const Status read = store.read([&](ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto page, txn.list<contracts::Run>({}));
    for (const contracts::Run& run : page.items) out += cat(run.metadata.name, "\n");
    return {};
  });
  return read.ok() ? out : reason_of(read);
}

inline std::string lines(const Names& names) {
  std::string out;
  for (const std::string& name : names) out += cat(name, "\n");
  return out;
}

class StoreFaults : public testing::Test {
 protected:
  void expect(const std::string& result) {
    if (result == kNoMounts) GTEST_SKIP() << kNoMounts;
    EXPECT_EQ(result, "");
  }

  TempFolder folder_;
  const std::string path_ = folder_.file();
};

}  // namespace paddock::store
