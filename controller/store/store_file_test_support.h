// Opens, damages and asks the file of a store, for tests.
#pragma once

#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "controller/store/store_faults_test_support.h"

namespace paddock::store {

inline void raw_sql(const std::string& path, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

inline Status add_row(Store& store, const std::string& name) {
  return store.write([&](WriteTxn& txn) {
    contracts::Run run = make_run(name);
    return txn.create(run);
  });
}

inline bool contains(Store& store, const std::string& name) {
  bool found = false;
  EXPECT_TRUE(store
                  .read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto run, txn.find<contracts::Run>({"default", name}));
                    found = run.has_value();
                    return {};
                  })
                  .ok());
  return found;
}

}  // namespace paddock::store
