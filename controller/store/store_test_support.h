// Objects, folders and a fixture for the tests of the store.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/audit_chain/chain.h"
#include "common/base/text.h"
#include "controller/store/store.h"

namespace paddock::store {

inline contracts::Run make_run(const std::string& name, const std::string& name_space = "default") {
  contracts::Run run;
  run.metadata.name = name;
  run.metadata.name_space = name_space;
  run.metadata.uid = cat("uid-", name_space, "-", name);
  run.spec.command.argv = {"true"};
  return run;
}

// A folder that goes away with the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "paddock-store-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string file(const std::string& name = "store.db") const { return cat(path_, "/", name); }

 private:
  std::string path_;
};

inline std::unique_ptr<Store> must_open(const std::string& path = "") {
  return std::move(Store::open({path})).value();
}

// What a verifier says of the audit log: how many records hold to which, or the first fault and the
// record's number.
inline std::string chain_of(Store& store) {
  std::optional<audit_chain::Verifier> verifier;
  const Status read = store.read([&](ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::AuditChainPage page, txn.audit_chain({}, 1000));
    verifier.emplace(page.anchor);
    while (!page.items.empty()) {
      for (const contracts::ChainedRecord& record : page.items) verifier->take(record);
      ASSIGN_OR_RETURN(page, txn.audit_chain(page.items.back().id, 1000));
    }
    verifier->end_at(page.last_given);
    return {};
  });
  if (!read.ok()) return read.error().describe();
  const auto verdict = verifier->finish();
  if (verdict.ok()) return cat(verdict->records, " records to ", verdict->last.id);
  const std::string& said = verdict.error().message;
  const size_t digit = said.find_first_of("0123456789");
  return cat(verdict.error().reason.text(), " ",
             said.substr(digit, said.find_first_not_of("0123456789", digit) - digit));
}

}  // namespace paddock::store
