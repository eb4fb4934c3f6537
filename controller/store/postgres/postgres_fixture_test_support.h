// What the tests of PostgreSQL's faults have in common.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "controller/store/postgres_test_support.h"
#include "controller/store/proxy_test_support.h"
#include "controller/store/store_test_support.h"

namespace paddock::store::postgres {

class PostgresTest : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::get();
    if (server_ == nullptr) GTEST_SKIP() << PostgresServer::kMissing;
    database_ = server_->new_database();
  }
  StoreOptions options(const std::string& holder, const std::string& url = {}) {
    StoreOptions out;
    out.postgres = PostgresServer::options(url.empty() ? server_->url(database_) : url, holder);
    out.on_changes = [this](std::vector<ObjectWrite> changes) {
      for (const ObjectWrite& each : changes) announced_.insert(each.key.name);
    };
    return out;
  }
  static std::string refusal(const StoreOptions& options) {
    const auto opened = Store::open(options);
    return opened.ok() ? "opened" : opened.error().reason.str();
  }
  // Two objects and a record of the audit log, or nothing of it.
  static Status write_pair(Store& store, const std::string& name) {
    return store.write([&](WriteTxn& txn) -> Status {
      contracts::AuditEvent told;
      told.type = "test.write";
      TRY(txn.append_audit(told));
      for (const char* letter : {"a-", "b-"}) {
        contracts::Run run = make_run(letter + name);
        TRY(txn.create(run));
        contracts::RunEvent event;
        TRY(txn.append_event(run.metadata.uid, event));
      }
      return {};
    });
  }
  static std::string reason(const Status& status) {
    return status.ok() ? "" : status.error().reason.str();
  }
  // By the server itself, past the store.
  std::set<std::string> stored() const {
    const std::string names = server_->query(
        database_, "SELECT coalesce(string_agg(name, ' '), '') FROM objects WHERE kind = 'Run'");
    std::set<std::string> out;
    for (std::string& name : split(names, ' ')) {
      if (!name.empty()) out.insert(std::move(name));
    }
    return out;
  }

  PostgresServer* server_ = nullptr;
  std::string database_;
  std::set<std::string> announced_;
};

}  // namespace paddock::store::postgres
