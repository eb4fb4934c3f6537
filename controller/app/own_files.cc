#include "controller/app/own_files.h"

#include <sys/stat.h>

#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::app {
namespace {

// The files that a start replaces, whatever was in them.
std::vector<std::string> replaced_files(const Config& config) {
  std::vector<std::string> out = {"controller.json", "tokens/admin", "tokens/enroll"};
  if (wants_execute_token(config)) out.push_back("tokens/execute");
  if (!serves_local_ca(config)) return out;
  out.insert(out.end(),
             {"tls/ca-key.pem", "tls/server.pem", "tls/server-key.pem", "tls/server-names"});
  return out;
}

std::vector<std::string> kept_tokens(const Config& config) {
  std::vector<std::string> out = {"tokens/admin"};
  if (config.enroll_token) out.push_back("tokens/enroll");
  if (wants_execute_token(config)) out.push_back("tokens/execute");
  return out;
}

bool is_folder(const std::string& path) {
  struct stat info = {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Error no_file_of_ours(const std::string& file, const std::string& why) {
  return Error{Code::kFailedPrecondition, "STORE_NOT_OURS", cat(file, " in the data folder ", why)};
}

}  // namespace

Status check_own_files(const Config& config) {
  for (const std::string& file : replaced_files(config)) {
    if (is_folder(os::join_path(config.data_dir, file)))
      return no_file_of_ours(file, "is a folder, where a file of the controller belongs");
  }
  for (const std::string& file : kept_tokens(config)) {
    const auto text = os::read_file(os::join_path(config.data_dir, file));
    if (!text.ok() && text.error().code != Code::kNotFound)
      return no_file_of_ours(file, "cannot be read").within(text.error().describe());
  }
  return {};
}

}  // namespace paddock::app
