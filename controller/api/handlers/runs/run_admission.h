// Admission of new runs against one snapshot of the store: what many of them look at is read once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/admission/admit.h"
#include "controller/api/server/services.h"
#include "controller/store/store.h"

namespace paddock::api {

class RunAdmission {
 public:
  RunAdmission(const Services& services, store::ReadTxn& txn);
  RunAdmission(const RunAdmission&) = delete;
  RunAdmission& operator=(const RunAdmission&) = delete;

  // The workspaces of runs that name none are still to be made, of these files or, with nullptr, of
  // files that nobody knows yet.
  void expect_files(const contracts::Tree* tree) { expected_ = tree, files_later_ = true; }
  // Fills in the defaults, the effective policy, the pinned tree, volumes and grants, or refuses.
  // `media`: what it may have generated; see admission::admit().
  Status admit(contracts::Run& run, const contracts::MediaExecution& media);

 private:
  // The files of one workspace, which the next run most likely names too.
  struct Files {
    store::Key workspace;
    std::string root;
    contracts::Tree tree;
    admission::FileNames names;
    std::optional<std::string> entry;
  };
  Status take_files(contracts::Run& run);
  Status read_files(const store::Key& workspace);
  Status check_requirements(const std::string& name_space, const contracts::RunSpec& spec) const;
  Status pin_volumes(contracts::Run& run);
  Status pin_grants(contracts::Run& run);

  const Services& services_;
  store::ReadTxn& txn_;
  admission::AdmissionContext context_;
  std::optional<Files> files_;
  const contracts::Tree* expected_ = nullptr;
  bool files_later_ = false;
  std::string granted_;  // the namespace of grants_
  std::optional<std::vector<contracts::Grant>> grants_;
};

}  // namespace paddock::api
