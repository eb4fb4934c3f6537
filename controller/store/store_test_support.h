// Objects and folders for the tests of the store.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

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

}  // namespace paddock::store
