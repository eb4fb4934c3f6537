// The fixture of the store's conformance suite: the same promises, on every engine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "controller/store/postgres_test_support.h"
#include "controller/store/store_test_support.h"

namespace paddock::store {

// What all promises of the store are tested on.
enum class Engine { kMemory, kFile, kPostgres };
inline std::string engine_name(const testing::TestParamInfo<Engine>& info) {
  return info.param == Engine::kMemory ? "InMemory"
         : info.param == Engine::kFile ? "OnDisk"
                                       : "Postgres";
}
inline auto all_engines() {
  return testing::Values(Engine::kMemory, Engine::kFile, Engine::kPostgres);
}

// A fixture of one empty store of an engine; its options are made by options().
class EngineTest : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    if (GetParam() == Engine::kPostgres && PostgresServer::get() == nullptr)
      GTEST_SKIP() << PostgresServer::kMissing;
  }
  // Each call returns the options of the same store.
  StoreOptions options() {
    StoreOptions out;
    if (GetParam() == Engine::kFile) out.path = folder_.file();
    if (GetParam() != Engine::kPostgres) return out;
    if (database_.empty()) database_ = PostgresServer::get()->new_database();
    out.postgres = PostgresServer::options(PostgresServer::get()->url(database_), "test");
    return out;
  }

  TempFolder folder_;
  std::string database_;
};

class StoreTest : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped()) return;
    StoreOptions options = this->options();
    options.on_commit = [this](const std::vector<std::string>& topics) {
      touched_.insert(touched_.end(), topics.begin(), topics.end());
    };
    store_ = std::move(Store::open(options)).value();
  }
  Status create(contracts::Run& run) {
    return store_->write([&](WriteTxn& txn) { return txn.create(run); });
  }
  Result<contracts::Run> get(const std::string& name) {
    Result<contracts::Run> found = Error{};
    TRY(store_->read([&](ReadTxn& txn) -> Status {
      found = txn.get<contracts::Run>({"default", name});
      return {};
    }));
    return found;
  }

  std::unique_ptr<Store> store_;
  std::vector<std::string> touched_;
};

}  // namespace paddock::store
